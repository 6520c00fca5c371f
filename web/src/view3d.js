// All that is seen in 3D, for a state: a moment, a contact that is shown, a body that is picked.

import { Matrix4, Vector3 } from "three";
import { Boxes } from "./boxes.js";
import { PAIR, PICKED } from "./colours.js";
import { Marker } from "./marker.js";
import { Motions } from "./motion.js";
import { RigidBodies } from "./rigid_bodies.js";
import { Shapes } from "./shapes.js";
import { Space } from "./space.js";
import { Sparks } from "./sparks.js";
import { SphereLevels } from "./sphere_levels.js";
import { Stage } from "./stage.js";
import { Surfaces } from "./surfaces.js";
import { Trail } from "./trail.js";

/** The camera is so many sizes of the larger body away from a contact, but at most so many of the smaller one. */
const LARGER_AWAY = 5;
const SMALLER_AWAY = 12;
/** The size of a triangle of a deforming surface, in its longest edges. */
const EDGES = 3;

export class View3D {
  constructor(canvas, replay, contacts) {
    const { arrays } = replay;
    this.replay = replay;
    this.contacts = contacts;
    this.space = new Space(replay.periods);
    this.stage = new Stage(canvas, this.space, replay.room);
    this.motions = new Motions(arrays);
    this.shapes = new Shapes(arrays);
    this.rigid = new RigidBodies(arrays, this.shapes, this.motions, this.space, this.stage.curtain);
    this.surfaces = new Surfaces(arrays, this.space);
    this.boxes = new Boxes(arrays, this.shapes, this.motions, this.surfaces, this.space);
    this.levels = new SphereLevels(arrays, this.rigid);
    this.sparks = new Sparks(contacts, this.space);
    this.trail = new Trail(this.motions, this.space, replay.begin, replay.end);
    this.marker = new Marker(this.space);
    this.chosen = new Map();
    this.stage.add(
      this.rigid.group, this.surfaces.group, this.boxes.lines, this.levels.group, this.sparks.points, this.trail.line,
      this.marker.group,
    );
  }

  /** What to call when the user moves the camera. */
  onMove(call) {
    this.stage.controls.addEventListener("change", call);
  }

  /** The state has another contact or body. */
  select(state) {
    const { contacts } = this;
    this.chosen = new Map();
    if (state.body >= 0) this.chosen.set(state.body, PICKED);
    if (state.contact >= 0) {
      this.chosen.set(contacts.b[state.contact], PAIR[1]);
      this.chosen.set(contacts.a[state.contact], PAIR[0]);
    }
    const dim = state.dim && this.chosen.size > 0;
    this.rigid.spotlight(this.chosen, dim);
    this.surfaces.spotlight(this.chosen, dim);
    this.trail.choose(this.surfaces.has(state.body) || this.rigid.isWall(state.body) ? -1 : state.body);
  }

  flyToContact(row) {
    const { contacts } = this;
    this.motions.evaluate(contacts.time[row]);
    this.surfaces.update(contacts.time[row]);
    const [a, b] = [contacts.a[row], contacts.b[row]];
    const sizes = [this.sizeAt(a, contacts.faceA[row]), this.sizeAt(b, contacts.faceB[row])].filter(Number.isFinite);
    const near = Math.min(LARGER_AWAY * Math.max(...sizes), SMALLER_AWAY * Math.min(...sizes));
    const away = sizes.length > 0 ? near : 0.2 * this.stage.room;
    this.stage.flyToContact(contacts.point(row), contacts.normal(row), away, this.lean(a, b));
  }

  /** Walls are seen from inside, surfaces from above a: the normal points from a to b. */
  lean(a, b) {
    if (this.surfaces.has(a)) return -1;
    return 0.3 * (Number(this.rigid.isWall(a)) - Number(this.rigid.isWall(b)));
  }

  /** How large the body is where it is touched; infinite for a wall. */
  sizeAt(body, face) {
    if (!this.surfaces.has(body)) {
      return this.rigid.shapeOf[body] < 0 ? Infinity : this.shapes.reach(this.rigid.shapeOf[body]);
    }
    const corners = this.surfaces.triangle(body, face);
    const edge = (i, j) => Math.hypot(...[0, 1, 2].map((axis) => corners[3 * i + axis] - corners[3 * j + axis]));
    return EDGES * Math.max(edge(0, 1), edge(1, 2), edge(2, 0));
  }

  /** See the whole room. */
  fit() {
    this.stage.lookAtBox(...this.replay.room);
  }

  /** The body under a point of the window, -1 for none. */
  bodyAt(x, y) {
    if (this.rigid.batch !== null) this.rigid.batch.boundingSphere = null;
    const [hit] = this.stage.under(x, y, [...this.rigid.targets, ...this.surfaces.targets]);
    return hit === undefined ? -1 : this.rigid.bodyOf(hit);
  }

  /** Where a body is drawn, in pixels of the window: for tests and labels. */
  pixelOf(body) {
    const place = new Vector3().setFromMatrixPosition(new Matrix4().copy(this.rigid.matrixOf(body)));
    place.project(this.stage.camera);
    const box = this.stage.element.getBoundingClientRect();
    return [box.left + ((place.x + 1) / 2) * box.width, box.top + ((1 - place.y) / 2) * box.height];
  }

  /** Draw the state; `seconds` have passed on the clock. True if there is more to come without any change of state. */
  draw(state, seconds) {
    const flies = this.stage.fly(seconds);
    this.motions.evaluate(state.t);
    this.surfaces.update(state.t);
    this.rigid.update();
    const only = state.dim && this.chosen.size > 0 ? this.chosen : null;
    this.boxes.update(state.t, only);
    this.levels.update(only);
    this.trail.update();
    this.sparks.points.visible = state.playing || state.contact < 0;
    this.sparks.update(state.t, state.speed, state.body);
    this.drawMarker(state);
    this.stage.render();
    return flies;
  }

  drawMarker(state) {
    const { contacts } = this;
    const row = state.contact;
    if (row < 0) {
      this.marker.hide();
      return;
    }
    const here = state.t === contacts.time[row];
    const triangles = [[contacts.a, contacts.faceA], [contacts.b, contacts.faceB]].map(([bodies, faces]) =>
      here ? this.triangle(bodies[row], faces[row]) : null,
    );
    this.marker.show(contacts.point(row), contacts.normal(row), triangles, this.stage.pixelSize());
  }

  /** Corners of a triangle of a body in world coordinates, or null. */
  triangle(body, face) {
    if (this.surfaces.has(body)) return face < 0 ? null : this.surfaces.triangle(body, face);
    const corners = this.rigid.shapeOf[body] < 0 ? null : this.shapes.triangle(this.rigid.shapeOf[body], face);
    if (corners === null) return null;
    const matrix = this.rigid.matrixOf(body);
    const place = new Vector3();
    for (let k = 0; k < 9; k += 3) {
      place.set(corners[k], corners[k + 1], corners[k + 2]).applyMatrix4(matrix);
      [place.x, place.y, place.z].forEach((value, axis) => (corners[k + axis] = value + this.space.origin[axis]));
    }
    return corners;
  }

  resize(width, height) {
    this.stage.resize(width, height);
  }
}
