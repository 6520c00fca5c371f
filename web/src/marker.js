// The contact that is shown: its point, its normal as an arrow of the same size on the screen, and the triangles that touch.

import {
  BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, Quaternion,
  SphereGeometry, Vector3,
} from "three";
import { INK, PAIR, PICKED } from "./colours.js";

const ARROW_PIXELS = 90;
const UP = new Vector3(0, 1, 0);

/** A thing that is seen through everything else; things of a higher order hide those of a lower one. */
function onTop(geometry, colour, order) {
  const thing = new Mesh(geometry, new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, fog: false }));
  thing.renderOrder = order;
  return thing;
}

export class Marker {
  constructor(space) {
    this.space = space;
    this.group = new Group();
    this.group.visible = false;
    // Sizes in lengths of the arrow.
    const shaft = onTop(new CylinderGeometry(0.018, 0.018, 0.8, 12).translate(0, 0.4, 0), INK, 12);
    const head = onTop(new ConeGeometry(0.07, 0.22, 20).translate(0, 0.89, 0), INK, 12);
    this.arrow = new Group();
    this.arrow.add(shaft, head);
    this.arrow.add(onTop(new SphereGeometry(0.075, 24, 16), INK, 13), onTop(new SphereGeometry(0.055, 24, 16), PICKED, 14));
    this.group.add(this.arrow);
    this.triangles = PAIR.map((colour, side) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(9), 3));
      const triangle = onTop(geometry, colour, 10 + side);
      triangle.material.side = DoubleSide;
      triangle.material.opacity = 0.75;
      triangle.frustumCulled = false;
      this.group.add(triangle);
      return triangle;
    });
    this.turn = new Quaternion();
  }

  hide() {
    this.group.visible = false;
  }

  /** Show a contact; triangles: of a and b, nine world coordinates each, or null. */
  show(point, normal, triangles, pixel) {
    this.group.visible = true;
    this.arrow.position.set(...this.space.local(point));
    this.arrow.quaternion.setFromUnitVectors(UP, new Vector3(...normal).normalize());
    this.arrow.scale.setScalar(ARROW_PIXELS * pixel);
    this.triangles.forEach((triangle, side) => {
      triangle.visible = triangles[side] !== null;
      if (!triangle.visible) return;
      const corners = triangle.geometry.attributes.position;
      triangles[side].forEach((value, k) => (corners.array[k] = this.space.relative(value, k % 3)));
      corners.needsUpdate = true;
    });
  }
}
