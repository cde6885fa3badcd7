// Bundles both executables with code splitting, so a command loads only what it needs.
// `node scripts/build.mjs [folder]`: into dist unless told otherwise.
import {chmod, readFile, rm} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const {version} = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const outdir = path.resolve(root, process.argv[2] ?? 'dist');
if (`${root}${path.sep}`.startsWith(`${outdir}${path.sep}`)) throw new Error(`${outdir} holds the sources`);

await rm(outdir, {recursive: true, force: true});
await build({
  absWorkingDir: root,
  entryPoints: {
    blackbird: 'src/cli/main.ts',
    agency: 'src/cli/agency.ts',
    'demo-agent': 'src/services/agents/demo-agent.ts',
  },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
  // A crash prints the source line: keep it readable.
  lineLimit: 160,
  sourcemap: 'linked',
  chunkNames: 'chunks/[name]-[hash]',
  define: {'process.env.NODE_ENV': '"production"', BLACKBIRD_VERSION: JSON.stringify(version)},
  // Bundled CommonJS packages call `require` for Node's own modules.
  banner: {
    js: "import {createRequire as __createRequire} from 'node:module';const require=__createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
await Promise.all(['blackbird.js', 'agency.js'].map((file) => chmod(path.join(outdir, file), 0o755)));
