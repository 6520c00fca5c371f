// The shapes of rigid bodies as geometries, with normals that are smooth across gentle edges and sharp at others.

import { BufferAttribute, BufferGeometry } from "three";

export const SOLID = 0;
export const MESH = 1;
export const WALL = 2;

/** Cosine of the angle up to which an edge is gentle. */
const GENTLE = Math.cos(0.6);

export class Shapes {
  constructor(arrays) {
    this.role = arrays["shape.role"];
    this.spheres = arrays["shape.sphere"];
    this.vertexFirst = arrays["shape.vertex_first"];
    this.faceFirst = arrays["shape.face_first"];
    this.allVertices = arrays["shape.vertices"];
    this.allFaces = arrays["shape.faces"];
    this.count = this.role.length;
    this.made = new Map();
  }

  vertices(shape) {
    return this.allVertices.subarray(3 * this.vertexFirst[shape], 3 * this.vertexFirst[shape + 1]);
  }

  faces(shape) {
    return this.allFaces.subarray(3 * this.faceFirst[shape], 3 * this.faceFirst[shape + 1]);
  }

  /** Distance from the body's position to its farthest point; infinite for a wall. */
  reach(shape) {
    const [x, y, z, radius] = this.spheres.subarray(4 * shape, 4 * shape + 4);
    return Math.hypot(x, y, z) + radius;
  }

  /** Does the shape have triangles to draw? */
  isDrawn(shape) {
    return shape >= 0 && this.faceFirst[shape + 1] > this.faceFirst[shape];
  }

  geometry(shape) {
    if (!this.made.has(shape)) {
      const { position, normal } = corners(this.vertices(shape), this.faces(shape));
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(position, 3));
      geometry.setAttribute("normal", new BufferAttribute(normal, 3));
      this.made.set(shape, geometry);
    }
    return this.made.get(shape);
  }

  /** Corners of triangle `face` of a mesh as nine numbers, or null where contacts do not name triangles. */
  triangle(shape, face) {
    if (this.role[shape] !== MESH || face < 0) return null;
    const rows = this.faces(shape).subarray(3 * face, 3 * face + 3);
    return Float64Array.from({ length: 9 }, (_, k) => this.vertices(shape)[3 * rows[Math.floor(k / 3)] + (k % 3)]);
  }
}

/** Positions and normals of all corners of all faces: a normal is the mean over the faces about the vertex that are nearly
 * in line with the corner's own face, by their areas. */
function corners(vertices, faces) {
  const doubled = faceNormals(vertices, faces);
  const sizes = Float32Array.from({ length: faces.length / 3 }, (_, face) => Math.hypot(...doubled.subarray(3 * face, 3 * face + 3)));
  const { first, around } = facesAbout(vertices.length / 3, faces);
  const position = new Float32Array(3 * faces.length);
  const normal = new Float32Array(3 * faces.length);
  for (let corner = 0; corner < faces.length; corner++) {
    const face = Math.floor(corner / 3);
    const vertex = faces[corner];
    const own = 3 * face;
    const sum = [0, 0, 0];
    for (let k = first[vertex]; k < first[vertex + 1]; k++) {
      const other = 3 * around[k];
      const inner = doubled[own] * doubled[other] + doubled[own + 1] * doubled[other + 1] + doubled[own + 2] * doubled[other + 2];
      if (around[k] !== face && inner < GENTLE * sizes[face] * sizes[around[k]]) continue;
      for (let axis = 0; axis < 3; axis++) sum[axis] += doubled[other + axis];
    }
    const length = Math.hypot(...sum) || 1;
    for (let axis = 0; axis < 3; axis++) {
      position[3 * corner + axis] = vertices[3 * vertex + axis];
      normal[3 * corner + axis] = sum[axis] / length;
    }
  }
  return { position, normal };
}

/** Normals of faces, as long as twice their areas. */
function faceNormals(vertices, faces) {
  const normals = new Float32Array(faces.length);
  for (let k = 0; k < faces.length; k += 3) {
    const [a, b, c] = [3 * faces[k], 3 * faces[k + 1], 3 * faces[k + 2]];
    const [ux, uy, uz] = [vertices[b] - vertices[a], vertices[b + 1] - vertices[a + 1], vertices[b + 2] - vertices[a + 2]];
    const [vx, vy, vz] = [vertices[c] - vertices[a], vertices[c + 1] - vertices[a + 1], vertices[c + 2] - vertices[a + 2]];
    normals[k] = uy * vz - uz * vy;
    normals[k + 1] = uz * vx - ux * vz;
    normals[k + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** The faces about each vertex: those of vertex v are around[first[v]] to around[first[v + 1] - 1]. */
function facesAbout(count, faces) {
  const first = new Uint32Array(count + 1);
  for (const vertex of faces) first[vertex + 1]++;
  for (let k = 0; k < count; k++) first[k + 1] += first[k];
  const around = new Uint32Array(faces.length);
  const next = first.slice();
  faces.forEach((vertex, corner) => (around[next[vertex]++] = Math.floor(corner / 3)));
  return { first, around };
}
