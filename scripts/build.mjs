// Bundles both executables with code splitting, so a command loads only what it needs.
// `node scripts/build.mjs [folder]`: into dist unless told otherwise.
import {chmod, copyFile, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {writeLayouts} from './layouts.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const {version, engines} = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const outdir = path.resolve(root, process.argv[2] ?? 'dist');
if (`${root}${path.sep}`.startsWith(`${outdir}${path.sep}`)) throw new Error(`${outdir} holds the sources`);

const options = {
  absWorkingDir: root,
  entryPoints: {
    main: 'src/cli/main.ts',
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
  chunkNames: 'chunks/[name]-[hash]',
  define: {'process.env.NODE_ENV': '"production"', BLACKBIRD_VERSION: JSON.stringify(version)},
  // Bundled CommonJS packages call `require` for Node's own modules.
  banner: {
    js: "import {createRequire as __createRequire} from 'node:module';const require=__createRequire(import.meta.url);",
  },
  // Ink asks for it only while it is developed itself (DEV=true).
  external: ['react-devtools-core'],
  logLevel: 'warning',
};

await rm(outdir, {recursive: true, force: true});
const {metafile} = await build({...options, write: false, metafile: true});
await build({...options, plugins: [oneCore(metafile), withoutSpawn()]});
const page = await buildPage(path.join(outdir, 'inspector'));
await Promise.all(['blackbird', 'agency'].map(writeExecutable));
await copyFile(path.join(root, 'src', 'cli', 'load.cjs'), path.join(outdir, 'load.cjs'));
await writeLicences([...Object.keys(metafile.inputs), ...page]);

/** Not bundled: it must be read by Nodes that know nothing of what the rest is written in. */
async function writeExecutable(name) {
  const file = path.join(outdir, `${name}.cjs`);
  const values = {PROGRAM: `'${name}'`, VERSION: `'${version}'`, NODE: /\d+/.exec(engines.node)[0]};
  const text = await readFile(path.join(root, 'src', 'cli', 'start.cjs'), 'utf8');
  await writeFile(
    file,
    text.replace(/^\/\/.*\n/gm, '').replace(/BLACKBIRD_([A-Z]+)/g, (_, key) => values[key]),
  );
  await chmod(file, 0o755);
}

/** What is bundled is published with its licence. */
async function writeLicences(inputs) {
  const folders = inputs.map((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean);
  const texts = await Promise.all([...new Set(folders)].sort().map(licenceOf));
  await writeFile(path.join(outdir, 'THIRD-PARTY-LICENSES'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

async function licenceOf(folder) {
  const [where, files] = [path.join(root, folder), await readdir(path.join(root, folder))];
  const {
    name,
    version: number,
    license,
  } = JSON.parse(await readFile(path.join(where, 'package.json'), 'utf8'));
  const file = files.find((each) => /^licen[cs]e/i.test(each));
  if (!file && !license) throw new Error(`${name} has no licence: it cannot be bundled`);
  const text = file ? await readFile(path.join(where, file), 'utf8') : `Licence: ${license}\n`;
  return `${name} ${number}\n\n${text.trimEnd()}\n`;
}

/** The inspector's page, with the machines to replay contexts, and every chart laid out. Returns what it is made of. */
async function buildPage(folder) {
  const source = path.join(root, 'src', 'ui', 'inspector');
  const {metafile: parts} = await build({
    absWorkingDir: root,
    entryPoints: {
      page: path.join(source, 'page.ts'),
      style: path.join(source, 'style', 'style.css'),
    },
    outdir: folder,
    metafile: true,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
    minify: true,
    lineLimit: 160,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    define: {'process.env.NODE_ENV': '"production"'},
  });
  await copyFile(path.join(source, 'index.html'), path.join(folder, 'index.html'));
  await writeLayouts(root, path.join(folder, 'layouts'));
  return Object.keys(parts.inputs);
}

/**
 * esbuild makes a chunk of every set of modules that the same dynamic imports share, and each chunk costs a
 * start most of a millisecond. So whatever is loaded lazily names all that every command loads, which then is
 * one chunk.
 */
function oneCore({inputs}) {
  const core = new Set(['src/cli/run-process.ts', 'src/cli/composition.ts']);
  for (const file of core) {
    for (const {path: target, kind, external} of inputs[file].imports) {
      if (kind !== 'dynamic-import' && !external) core.add(target);
    }
  }
  const own = [...core].filter((file) => file.startsWith('src/'));
  const imports = own.map((file) => `import ${JSON.stringify(path.join(root, file))};`).join('');
  const lazy = new Set(
    Object.values(inputs).flatMap(({imports: found}) =>
      found.filter(({kind}) => kind === 'dynamic-import').map((target) => target.path),
    ),
  );
  return {
    name: 'one-core',
    setup: ({onLoad}) => {
      onLoad({filter: /\.tsx?$/}, async ({path: file}) => {
        if (!lazy.has(path.relative(root, file))) return null;
        return {
          contents: `${await readFile(file, 'utf8')}\n${imports}`,
          loader: file.endsWith('x') ? 'tsx' : 'ts',
        };
      });
    },
  };
}

/** commander can start other executables, which we have none of; loading what that takes costs milliseconds. */
function withoutSpawn() {
  return {
    name: 'without-spawn',
    setup: ({onResolve, onLoad}) => {
      onResolve({filter: /^node:child_process$/}, ({importer}) =>
        importer.includes('node_modules/commander/') ? {path: 'none', namespace: 'none'} : null,
      );
      onLoad({filter: /.*/, namespace: 'none'}, () => ({contents: 'module.exports = {}'}));
    },
  };
}
