// Vertices of a deforming surface at a time: straight between keys, at rest before the first and after the last.

import { lastNotAfter } from "./motion.js";

export class Keys {
  constructor(arrays, surface) {
    const part = (name, starts, width) =>
      arrays[name].subarray(arrays[starts][surface] * width, arrays[starts][surface + 1] * width);
    this.times = part("surface.times", "surface.key_first", 1);
    this.faces = part("surface.faces", "surface.face_first", 3);
    /** Which of the places in `vertices` each key has. */
    this.place = part("surface.key_place", "surface.key_first", 1);
    this.vertices = part("surface.vertices", "surface.value_first", 1);
    this.size = this.vertices.length / (this.place.reduce((most, place) => Math.max(most, place), 0) + 1);
    /** Filled by `evaluate`: x, y, z of each vertex. */
    this.position = new Float64Array(this.size);
    this.boxes = null;
  }

  /** The key before t, and the share of the way to the next one. */
  moment(t) {
    const last = this.times.length - 1;
    if (t <= this.times[0]) return [0, 0];
    if (t >= this.times[last]) return [last - 1, 1];
    const key = lastNotAfter(this.times, 0, this.times.length, t);
    return [key, (t - this.times[key]) / (this.times[key + 1] - this.times[key])];
  }

  evaluate(t) {
    const [key, share] = this.moment(t);
    const from = this.place[key] * this.size;
    const to = this.place[key + 1] * this.size;
    for (let k = 0; k < this.size; k++) {
      this.position[k] = (1 - share) * this.vertices[from + k] + share * this.vertices[to + k];
    }
  }

  /** The box that carom keeps, as low x, y, z, high x, y, z: from that of one key straight to that of the next. */
  boxAt(t) {
    this.boxes ??= this.keyBoxes();
    const [key, share] = this.moment(t);
    return Array.from({ length: 6 }, (_, k) => (1 - share) * this.boxes[6 * key + k] + share * this.boxes[6 * key + 6 + k]);
  }

  keyBoxes() {
    const boxes = new Float64Array(6 * this.times.length);
    for (let key = 0; key < this.times.length; key++) {
      const box = boxes.subarray(6 * key, 6 * key + 6);
      box.set([Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity]);
      const first = this.place[key] * this.size;
      for (let k = first; k < first + this.size; k += 3) {
        for (let axis = 0; axis < 3; axis++) {
          box[axis] = Math.min(box[axis], this.vertices[k + axis]);
          box[3 + axis] = Math.max(box[3 + axis], this.vertices[k + axis]);
        }
      }
    }
    return boxes;
  }
}
