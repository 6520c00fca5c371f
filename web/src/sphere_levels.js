// One level of the bodies' sphere-trees as glassy spheres, where the replay has such trees.

import { Group, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { BOX } from "./colours.js";

const NO_TURN = new Quaternion();
/** Spheres up to this many are drawn finely; levels of more than that many are not offered, a page would come to a halt. */
const FEW = 5000;
export const MOST = 150_000;

export class SphereLevels {
  constructor(arrays, rigid) {
    this.rigid = rigid;
    this.treeOf = arrays["shape.tree"];
    this.scale = arrays["shape.tree_scale"];
    this.treeFirst = arrays["tree.first"];
    this.first = arrays["level.first"];
    this.spheres = arrays["level.spheres"];
    this.count = 0;
    for (let tree = 0; tree + 1 < this.treeFirst.length; tree++) {
      this.count = Math.max(this.count, this.treeFirst[tree + 1] - this.treeFirst[tree]);
    }
    this.group = new Group();
    this.level = -1;
    this.mesh = null;
  }

  /** Row of the level that is shown of a body at level k: the last one of trees that have fewer. -1: it has no tree. */
  row(body, level) {
    const tree = this.treeOf[this.rigid.shapeOf[body]] ?? -1;
    return tree < 0 ? -1 : Math.min(this.treeFirst[tree] + level, this.treeFirst[tree + 1] - 1);
  }

  /** How many spheres level k has over all bodies. */
  total(level) {
    return this.rigid.bodies.reduce((sum, body) => {
      const row = this.row(body, level);
      return row < 0 ? sum : sum + this.first[row + 1] - this.first[row];
    }, 0);
  }

  /** Show level k of every tree; -1 for none. */
  choose(level) {
    this.level = level;
    if (this.mesh !== null) {
      this.group.remove(this.mesh);
      this.mesh.geometry.dispose();
      this.mesh.material.dispose();
      this.mesh.dispose();
      this.mesh = null;
    }
    if (level < 0) return;
    this.shown = [];
    for (const body of this.rigid.bodies) {
      const row = this.row(body, level);
      if (row < 0) continue;
      for (let k = this.first[row]; k < this.first[row + 1]; k++) this.shown.push([body, k]);
    }
    const glass = new MeshLambertMaterial({ color: BOX, transparent: true, opacity: 0.18, depthWrite: false });
    const ball = this.shown.length <= FEW ? new SphereGeometry(1, 20, 14) : new SphereGeometry(1, 8, 6);
    this.mesh = new InstancedMesh(ball, glass, this.shown.length);
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }

  /** Show the spheres of some bodies, a Map, or of all for null, where the bodies are now. */
  update(only) {
    if (this.mesh === null) return;
    const local = new Matrix4();
    const centre = new Vector3();
    const size = new Vector3();
    let count = 0;
    for (const [body, row] of this.shown) {
      if (only !== null && !only.has(body)) continue;
      const scale = this.scale[this.rigid.shapeOf[body]];
      const [x, y, z, radius] = this.spheres.subarray(4 * row, 4 * row + 4);
      local.compose(centre.set(x, y, z).multiplyScalar(scale), NO_TURN, size.setScalar(scale * radius));
      this.mesh.setMatrixAt(count++, local.premultiply(this.rigid.matrixOf(body)));
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
