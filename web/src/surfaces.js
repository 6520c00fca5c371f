// Deforming bodies: vertices renewed for every moment, in float64 until they are about the origin of the view.

import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshLambertMaterial,
} from "three";
import { INK, paletteOf } from "./colours.js";
import { Keys } from "./keys.js";

const DIM = 0.15;
const EDGE = 0.16;

export class Surfaces {
  constructor(arrays, space) {
    this.space = space;
    this.group = new Group();
    this.meshes = new Map();
    arrays["body.surface"].forEach((surface, body) => {
      if (surface >= 0) this.meshes.set(body, this.make(body, new Keys(arrays, surface)));
    });
    for (const mesh of this.meshes.values()) this.group.add(mesh);
  }

  make(body, keys) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(keys.size), 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(new BufferAttribute(new Uint32Array(keys.faces), 1));
    const material = new MeshLambertMaterial({ color: paletteOf(body), side: DoubleSide, flatShading: true });
    // Lines lie on the triangles, not in them.
    Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const mesh = new Mesh(geometry, material);
    const lines = new BufferGeometry();
    lines.setAttribute("position", geometry.attributes.position);
    lines.setIndex(new BufferAttribute(edgesOf(keys.faces), 1));
    const edges = new LineSegments(lines, new LineBasicMaterial({ color: INK, transparent: true, opacity: EDGE }));
    edges.frustumCulled = false;
    mesh.add(edges);
    mesh.frustumCulled = false;
    mesh.keys = keys;
    mesh.body = body;
    return mesh;
  }

  has(body) {
    return this.meshes.has(body);
  }

  update(t) {
    for (const mesh of this.meshes.values()) {
      mesh.keys.evaluate(t);
      const drawn = mesh.geometry.attributes.position;
      for (let k = 0; k < drawn.array.length; k++) {
        drawn.array[k] = mesh.keys.position[k] - this.space.origin[k % 3];
      }
      drawn.needsUpdate = true;
    }
  }

  /** Dim all surfaces but the chosen ones (Map: body -> colour), if asked. */
  spotlight(chosen, dim) {
    for (const [body, mesh] of this.meshes) {
      const dimmed = dim && !chosen.has(body);
      if (mesh.material.transparent !== dimmed) mesh.material.needsUpdate = true;
      mesh.material.transparent = dimmed;
      mesh.material.opacity = dimmed ? DIM : 1;
      mesh.material.depthWrite = !dimmed;
      mesh.children[0].material.opacity = dimmed ? EDGE * DIM : EDGE;
    }
  }

  /** Corners of a triangle as nine numbers, in world coordinates, at the moment that was evaluated last. */
  triangle(body, face) {
    const { faces, position } = this.meshes.get(body).keys;
    return Float64Array.from({ length: 9 }, (_, k) => position[3 * faces[3 * face + Math.floor(k / 3)] + (k % 3)]);
  }

  get targets() {
    for (const mesh of this.meshes.values()) mesh.geometry.computeBoundingSphere();
    return [...this.meshes.values()];
  }
}

/** Both ends of every edge of the faces, each edge once. */
function edgesOf(faces) {
  const count = faces.reduce((most, vertex) => Math.max(most, vertex), 0) + 1;
  const edges = new Set();
  for (let k = 0; k < faces.length; k += 3) {
    for (const [i, j] of [[k, k + 1], [k + 1, k + 2], [k + 2, k]]) {
      edges.add(Math.min(faces[i], faces[j]) * count + Math.max(faces[i], faces[j]));
    }
  }
  return Uint32Array.from([...edges].flatMap((edge) => [Math.floor(edge / count), edge % count]));
}
