// Builds the two scripts of the replay page: vendor/three.js, the used part of three.js, and viewer.js, the code of web/src.
// `node build.mjs FOLDER` writes elsewhere. viewer.js begins with a hash of its sources, so that a test can tell without Node
// whether both are up to date.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const text = (path) => readFileSync(join(here, path), "utf8");

const folder = process.argv[2] ?? join(here, "../src/carom/view/assets");
const scripts = readdirSync(join(here, "src")).sort().map((name) => `src/${name}`);
const digest = createHash("sha256");
for (const path of ["build.mjs", "package.json", ...scripts]) digest.update(`${path}\0${text(path)}\0`);

const options = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
};

// What web/src imports from three.js, as one module.
const imported = scripts.flatMap((path) => [...text(path).matchAll(/import\s*\{([^}]*)\}\s*from\s*"(three[^"]*)"/g)]);
const exported = imported.flatMap(([, names, from]) =>
  names.split(",").map((name) => name.trim()).filter(Boolean).map((name) => `export { ${name} } from "${from}";`));
const { version } = JSON.parse(text("node_modules/three/package.json"));
await build({
  ...options,
  stdin: { contents: [...new Set(exported)].sort().join("\n"), resolveDir: here },
  globalName: "THREE",
  outfile: join(folder, "vendor/three.js"),
  banner: { js: `/* The used part of three.js ${version}, minified by \`make web\`. Its licence:\n\n${text("node_modules/three/LICENSE").trim()}\n*/` },
});

const threeFromVendor = {
  name: "three-from-vendor",
  setup(bundle) {
    bundle.onResolve({ filter: /^three/ }, () => ({ path: "three", namespace: "vendor" }));
    bundle.onLoad({ filter: /.*/, namespace: "vendor" }, () => ({ contents: "module.exports = THREE;" }));
  },
};
await build({
  ...options,
  entryPoints: ["src/main.js"],
  outfile: join(folder, "viewer.js"),
  plugins: [threeFromVendor],
  banner: { js: `/* sources ${digest.digest("hex")}\nBuilt by \`make web\` from carom's web/src; runs after vendor/three.js. */` },
});
