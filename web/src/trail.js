// The path of the picked body through the whole replay, for one that is rigid.

import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial } from "three";
import { TRAIL } from "./colours.js";

/** Points on a piece that bends. */
const BENT = 24;

export class Trail {
  constructor(motions, space, begin, end) {
    Object.assign(this, { motions, space, begin, end });
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial({ color: TRAIL, transparent: true, depthTest: false }));
    this.line.frustumCulled = false;
    this.line.visible = false;
    this.points = [];
  }

  /** Follow a body; -1 for none. Where space repeats a path would cross itself all over: none is shown. */
  choose(body) {
    this.line.visible = body >= 0 && !this.space.periods.some((period) => period > 0);
    if (!this.line.visible) return;
    const { motions } = this;
    this.points = [];
    const bends = motions.acceleration.length > 0;
    for (let piece = motions.first[body]; piece < motions.first[body + 1]; piece++) {
      const last = piece + 1 === motions.first[body + 1];
      const from = Math.max(this.begin, motions.since[piece]);
      const to = last ? this.end : motions.since[piece + 1];
      const steps = bends ? BENT : 1;
      for (let k = 0; k <= steps; k++) this.points.push(this.at(piece, from + ((to - from) * k) / steps));
    }
    this.line.geometry.dispose();
    this.line.geometry = new BufferGeometry();
    this.line.geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * this.points.length), 3));
    this.update();
  }

  at(piece, t) {
    const { start, from, velocity, acceleration } = this.motions;
    const dt = t - start[piece];
    return [0, 1, 2].map((axis) => {
      const k = 3 * piece + axis;
      return from[k] + dt * (velocity[k] + 0.5 * dt * (acceleration[k] ?? 0));
    });
  }

  /** The view's origin has moved. */
  update() {
    if (!this.line.visible) return;
    const drawn = this.line.geometry.attributes.position;
    this.points.forEach((point, k) => drawn.array.set(this.space.local(point), 3 * k));
    drawn.needsUpdate = true;
  }
}
