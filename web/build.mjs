// Bundles src/main.js and three.js into the one script that carom ships. `node build.mjs FILE` writes elsewhere.
// The script begins with a hash of its sources, so that a test can tell without Node whether it is up to date.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const text = (path) => readFileSync(join(here, path), "utf8");

const sources = ["build.mjs", "package.json", ...readdirSync(join(here, "src")).sort().map((name) => `src/${name}`)];
const digest = createHash("sha256");
for (const path of sources) digest.update(`${path}\0${text(path)}\0`);

const notice = text("node_modules/three/LICENSE").trim();
const { version } = JSON.parse(text("node_modules/three/package.json"));

await build({
  absWorkingDir: here,
  entryPoints: ["src/main.js"],
  outfile: process.argv[2] ?? join(here, "../src/carom/view/assets/viewer.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: {
    js: `/* sources ${digest.digest("hex")}\nBuilt by \`make web\` from carom's web/src and three.js ${version}, whose licence is:\n\n${notice}\n*/`,
  },
});
