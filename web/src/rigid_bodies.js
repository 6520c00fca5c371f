// All rigid bodies in one draw call, the walls around them, and the few that are in the spotlight one by one.

import {
  BatchedMesh, BufferAttribute, BufferGeometry, DoubleSide, FrontSide, Group, LineLoop, LineBasicMaterial, Matrix4, Mesh,
  MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3,
} from "three";
import { LINE, paletteOf } from "./colours.js";
import { WALL } from "./shapes.js";

const DIM = 0.1;
const ONE = new Vector3(1, 1, 1);

export class RigidBodies {
  /** curtain: the plane that dim bodies are seen behind. */
  constructor(arrays, shapes, motions, space, curtain) {
    this.curtain = curtain;
    this.shapeOf = arrays["body.shape"];
    this.shapes = shapes;
    this.motions = motions;
    this.space = space;
    this.matrix = new Matrix4();
    this.place = new Vector3();
    this.turn = new Quaternion();
    const drawn = [...this.shapeOf.keys()].filter((body) => shapes.isDrawn(this.shapeOf[body]));
    this.isWall = (body) => this.shapeOf[body] >= 0 && shapes.role[this.shapeOf[body]] === WALL;
    this.bodies = drawn.filter((body) => !this.isWall(body));
    this.material = new MeshLambertMaterial({ side: DoubleSide });
    this.instance = new Map();
    this.batch = this.makeBatch();
    this.walls = drawn.filter(this.isWall).map((body) => this.makeWall(body));
    this.lit = new Map();
    this.group = new Group();
    if (this.batch !== null) this.group.add(this.batch);
    for (const wall of this.walls) this.group.add(wall);
  }

  makeBatch() {
    if (this.bodies.length === 0) return null;
    const used = [...new Set(this.bodies.map((body) => this.shapeOf[body]))];
    const size = used.reduce((sum, shape) => sum + this.shapes.geometry(shape).attributes.position.count, 0);
    const batch = new BatchedMesh(this.bodies.length, size, 0, this.material);
    batch.perObjectFrustumCulled = false;
    batch.sortObjects = false;
    batch.frustumCulled = false;
    const geometries = new Map(used.map((shape) => [shape, batch.addGeometry(this.shapes.geometry(shape))]));
    for (const body of this.bodies) {
      const instance = batch.addInstance(geometries.get(this.shapeOf[body]));
      this.instance.set(body, instance);
      batch.setColorAt(instance, paletteOf(body));
    }
    return batch;
  }

  makeWall(body) {
    const shape = this.shapeOf[body];
    const fill = new MeshBasicMaterial({ color: LINE, transparent: true, opacity: 0.05, side: FrontSide, depthWrite: false });
    const wall = new Mesh(this.shapes.geometry(shape), fill);
    const outline = new BufferGeometry();
    outline.setAttribute("position", new BufferAttribute(this.shapes.vertices(shape), 3));
    wall.add(new LineLoop(outline, new LineBasicMaterial({ color: LINE, transparent: true, opacity: 0.5 })));
    wall.body = body;
    wall.matrixAutoUpdate = false;
    return wall;
  }

  /** The matrix that takes the body's shape to where it is drawn; valid until the next call. */
  matrixOf(body) {
    const { position, orientation } = this.motions;
    const { space } = this;
    const k = 3 * body;
    this.place.set(
      space.relative(position[k], 0), space.relative(position[k + 1], 1), space.relative(position[k + 2], 2),
    );
    const q = 4 * body;
    this.turn.set(orientation[q + 1], orientation[q + 2], orientation[q + 3], orientation[q]);
    return this.matrix.compose(this.place, this.turn, ONE);
  }

  update() {
    for (const body of this.bodies) this.batch.setMatrixAt(this.instance.get(body), this.matrixOf(body));
    for (const wall of this.walls) wall.matrix.copy(this.matrixOf(wall.body));
    for (const [body, mesh] of this.lit) mesh.matrix.copy(this.matrixOf(body));
  }

  /** Show bodies (Map: body -> colour) in colours of their own, all others dim if asked. */
  spotlight(chosen, dim) {
    for (const [body, mesh] of this.lit) {
      this.group.remove(mesh);
      mesh.material.dispose();
      if (this.instance.has(body)) this.batch.setVisibleAt(this.instance.get(body), true);
    }
    this.lit.clear();
    for (const [body, colour] of chosen) {
      if (!this.instance.has(body)) continue;
      this.batch.setVisibleAt(this.instance.get(body), false);
      const mesh = new Mesh(this.shapes.geometry(this.shapeOf[body]), new MeshLambertMaterial({ color: colour, side: DoubleSide }));
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      mesh.body = body;
      this.lit.set(body, mesh);
      this.group.add(mesh);
    }
    for (const wall of this.walls) {
      wall.material.opacity = chosen.has(wall.body) ? 0.25 : 0.05;
      wall.material.color = chosen.get(wall.body) ?? LINE;
    }
    if (this.material.transparent !== dim) this.material.needsUpdate = true;
    this.material.transparent = dim;
    this.material.opacity = dim ? DIM : 1;
    this.material.depthWrite = !dim;
    this.material.clippingPlanes = dim ? [this.curtain] : null;
  }

  /** Things to point at, and which body an intersection with one of them means. */
  get targets() {
    return [...(this.batch === null ? [] : [this.batch]), ...this.lit.values()];
  }

  bodyOf(hit) {
    return hit.object === this.batch ? this.bodies[hit.batchId] : hit.object.body;
  }
}
