// Bounding boxes as carom keeps them: around the turned shape of a body that does not turn, around the sphere of one that
// does, and from key to key of a deforming one.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";
import { BOX } from "./colours.js";
import { WALL } from "./shapes.js";

/** Corners of a box, bit d set for the upper end along axis d, in pairs: its edges. */
const EDGES = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];

export class Boxes {
  constructor(arrays, shapes, motions, surfaces, space) {
    Object.assign(this, { shapes, motions, surfaces, space });
    this.shapeOf = arrays["body.shape"];
    const bounded = (body) => this.shapeOf[body] >= 0 && shapes.role[this.shapeOf[body]] !== WALL;
    this.bodies = [...this.shapeOf.keys()].filter((body) => bounded(body) || surfaces.has(body));
    this.extents = null;
    const geometry = new BufferGeometry();
    const corners = new Float32Array(3 * EDGES.length * this.bodies.length);
    geometry.setAttribute("position", new BufferAttribute(corners, 3).setUsage(DynamicDrawUsage));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ color: BOX, transparent: true, opacity: 0.5 }));
    this.lines.frustumCulled = false;
    this.lines.visible = false;
  }

  /** Show the boxes of some bodies, a Map, or of all for null, from now on. */
  update(t, only) {
    if (!this.lines.visible) return;
    this.extents ??= new Map(this.bodies.map((body) => [body, this.extent(body)]));
    const drawn = this.lines.geometry.attributes.position;
    let at = 0;
    for (const body of this.bodies) {
      if (only !== null && !only.has(body)) continue;
      const box = this.box(body, t);
      for (const corner of EDGES) {
        for (let axis = 0; axis < 3; axis++) drawn.array[at++] = box[(corner >> axis) & 1 ? 3 + axis : axis];
      }
    }
    this.lines.geometry.setDrawRange(0, at / 3);
    drawn.needsUpdate = true;
  }

  /** Low x, y, z, high x, y, z as drawn. */
  box(body, t) {
    const { space } = this;
    if (this.surfaces.has(body)) {
      return this.surfaces.meshes.get(body).keys.boxAt(t).map((value, k) => value - space.origin[k % 3]);
    }
    const extent = this.extents.get(body);
    const place = [0, 1, 2].map((axis) => space.relative(this.motions.position[3 * body + axis], axis));
    return extent.map((value, k) => place[k % 3] + value);
  }

  /** The box about the body's position, which is the same at all times. */
  extent(body) {
    if (this.surfaces.has(body)) return null;
    const shape = this.shapeOf[body];
    if (this.motions.turns(body)) {
      const reach = this.shapes.reach(shape);
      return [-reach, -reach, -reach, reach, reach, reach];
    }
    const [w, x, y, z] = this.motions.turned.subarray(4 * this.motions.turnFirst[body]);
    const rows = [
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ];
    const vertices = this.shapes.vertices(shape);
    const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (let k = 0; k < vertices.length; k += 3) {
      for (let axis = 0; axis < 3; axis++) {
        const row = rows[axis];
        const value = row[0] * vertices[k] + row[1] * vertices[k + 1] + row[2] * vertices[k + 2];
        box[axis] = Math.min(box[axis], value);
        box[3 + axis] = Math.max(box[3 + axis], value);
      }
    }
    return box;
  }
}
