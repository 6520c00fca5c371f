// One level of the bodies' sphere-trees as glassy spheres, where the replay has such trees.

import { Group, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { BOX } from "./colours.js";

const NO_TURN = new Quaternion();

export class SphereLevels {
  constructor(arrays, rigid) {
    this.rigid = rigid;
    this.first = arrays["level.first"];
    this.spheres = arrays["level.spheres"];
    this.byShape = new Map();
    arrays["level.shape"].forEach((shape, level) => {
      if (!this.byShape.has(shape)) this.byShape.set(shape, []);
      this.byShape.get(shape).push(level);
    });
    this.count = Math.max(0, ...[...this.byShape.values()].map((levels) => levels.length));
    this.group = new Group();
    this.level = -1;
    this.mesh = null;
  }

  /** Show level k of every tree, the last one of those that have fewer; -1 for none. */
  choose(level) {
    this.level = level;
    if (this.mesh !== null) {
      this.group.remove(this.mesh);
      this.mesh.dispose();
      this.mesh = null;
    }
    if (level < 0) return;
    this.shown = [];
    for (const body of this.rigid.bodies) {
      const levels = this.byShape.get(this.rigid.shapeOf[body]);
      if (levels === undefined) continue;
      const chosen = levels[Math.min(level, levels.length - 1)];
      for (let k = this.first[chosen]; k < this.first[chosen + 1]; k++) this.shown.push([body, k]);
    }
    const glass = new MeshLambertMaterial({ color: BOX, transparent: true, opacity: 0.18, depthWrite: false });
    this.mesh = new InstancedMesh(new SphereGeometry(1, 20, 14), glass, this.shown.length);
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }

  update() {
    if (this.mesh === null) return;
    const local = new Matrix4();
    const centre = new Vector3();
    const scale = new Vector3();
    this.shown.forEach(([body, row], k) => {
      const [x, y, z, radius] = this.spheres.subarray(4 * row, 4 * row + 4);
      local.compose(centre.set(x, y, z), NO_TURN, scale.setScalar(radius));
      this.mesh.setMatrixAt(k, local.premultiply(this.rigid.matrixOf(body)));
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
