/**
 * Builds what the page shares, the page, and the module of every plugin; prints their sizes and fails over budget.
 *
 * `node frontend/build.mjs` builds everything; `node frontend/build.mjs scalar` only that plugin, `page` the rest.
 * Each shared module is built by itself with all others as imports, so that nothing is in two of them. Names lead to
 * files by an import map in index.html.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { insightPlugin, leaveShared, OUTPUT, SHARED, VERSIONS } from './packages/kit/build.js';

const FRONTEND = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(FRONTEND);
const PACKAGES = join(FRONTEND, 'packages');
const SHELL = join(FRONTEND, 'shell');
const STATIC = join(FRONTEND, 'insight_frontend', 'static');

/** Bytes of gzip: of the page as it is loaded, of the shared modules, of a tab without them, and of a part that a tab loads later. */
const BUDGETS = { page: 66_000, '@insight-host/kit': 24_000, shared: 18_000, tab: 60_000, part: 30_000 };

const PREACT = SHARED.filter((name) => !name.startsWith('@insight-host/'));

/** Files of shared modules: what goes into each, and under which names the page has it. */
const SHARED_FILES = [
  { file: 'preact', entry: join(PACKAGES, 'preact.ts'), names: PREACT },
  ...SHARED.filter((name) => !PREACT.includes(name)).map((name) => {
    const [, scope, part] = name.split('/');
    const source = join(PACKAGES, scope, 'src');
    const entry = part ? [`${part}/index.ts`, `${part}.ts`].map((path) => join(source, path)).find(existsSync) : join(source, 'index.ts');
    return { file: part ? `${scope}-${part}` : scope, entry, names: [name] };
  }),
];

const common = {
  configFile: false,
  logLevel: 'warn',
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** One entry as an ES module; the chunks and assets that were made. */
async function bundle({ entry, out, name, own = [], minify = true, output = OUTPUT, plugins = [], signatures = 'strict' }) {
  const { output: made } = await build({
    ...common,
    root: dirname(entry),
    publicDir: false,
    plugins: [leaveShared(own), ...plugins],
    build: {
      outDir: out,
      emptyOutDir: false,
      write: out !== undefined,
      target: 'es2022',
      minify: minify ? 'oxc' : false,
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: { input: { [name]: entry }, preserveEntrySignatures: signatures, output },
    },
  });
  return made;
}

/** Builds the shared modules below `out`; files by name of the module. */
export async function buildShared(out, options = {}) {
  const files = {};
  const homes = new Map(); // of sources of ours
  for (const { file, entry, names } of SHARED_FILES) {
    const made = await bundle({ entry, out, name: file, own: names, ...options });
    if (made.length !== 1) throw new Error(`${names[0]} became ${made.length} files`);
    for (const source of made[0].moduleIds.filter((id) => id.startsWith(PACKAGES))) {
      if (homes.has(source)) throw new Error(`${relative(ROOT, source)} is in ${homes.get(source)} and ${names[0]}: import it by the name of its package`);
      homes.set(source, names[0]);
    }
    for (const name of names) files[name] = { fileName: made[0].fileName, imports: made[0].imports };
  }
  return files;
}

/** A script that is no module, as text. */
async function classic(name) {
  const entry = join(SHELL, 'src', `${name}.ts`);
  const calls = { name: 'calls', transform: (code, id) => (id === entry ? `${code}\n${name}();` : null) };
  const [{ code }] = await bundle({ entry, name, output: { format: 'iife' }, plugins: [calls], signatures: false });
  return code.trim();
}

async function buildPage() {
  rmSync(STATIC, { recursive: true, force: true });
  const assets = join(STATIC, 'assets');
  const shared = await buildShared(assets);
  const made = await bundle({ entry: join(SHELL, 'src', 'main.tsx'), out: assets, name: 'shell' });
  const shell = made.find((chunk) => chunk.isEntry);
  const at = (file) => `static/assets/${file}`;
  const map = Object.fromEntries(SHARED.map((name) => [name, `./${at(shared[name].fileName)}`]));
  const guard = await classic('guard');
  const guardFile = `guard-${createHash('sha256').update(guard).digest('hex').slice(0, 12)}.js`;
  writeFileSync(join(assets, guardFile), guard);
  const ahead = [...new Set(shell.imports.map((name) => shared[name].fileName))];
  const styles = made.filter(({ fileName }) => fileName.endsWith('.css')).map(({ fileName }) => fileName);
  const links = [
    ...ahead.map((file) => `<link rel="modulepreload" href="${at(file)}" />`),
    ...styles.map((file) => `<link rel="stylesheet" href="${at(file)}" />`),
  ];
  const values = {
    map: JSON.stringify({ imports: map }),
    boot: await classic('boot'),
    guard: at(guardFile),
    shell: at(shell.fileName),
    links: links.join('\n    '),
  };
  const html = readFileSync(join(SHELL, 'index.html'), 'utf8').replace(/%(\w+)%/g, (_, name) => values[name]);
  writeFileSync(join(STATIC, 'index.html'), html);
  for (const file of readdirSync(join(SHELL, 'public'))) writeFileSync(join(STATIC, file), readFileSync(join(SHELL, 'public', file)));
  const modules = Object.fromEntries(SHARED.map((name) => [name, { file: `assets/${shared[name].fileName}`, imports: shared[name].imports }]));
  writeFileSync(join(STATIC, 'manifest.json'), `${JSON.stringify({ ...VERSIONS, modules }, null, 1)}\n`);
}

function pluginEntries() {
  const plugins = join(ROOT, 'plugins');
  const entries = [];
  for (const directory of existsSync(plugins) ? readdirSync(plugins).sort() : []) {
    const name = `insight_${directory}`;
    const source = join(plugins, directory, name, 'frontend');
    const entry = ['index.tsx', 'index.ts'].map((file) => join(source, file)).find(existsSync);
    if (entry) entries.push({ name: directory, entry, out: join(plugins, directory, name, 'static') });
  }
  return entries;
}

// --- sizes ----------------------------------------------------------------------------------------

const files = (directory) => readdirSync(directory).filter((name) => /\.(js|css)$/.test(name)).map((name) => join(directory, name));
const gzipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const sum = (paths) => [...paths].reduce((bytes, path) => bytes + gzipped(path), 0);
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(9);
const failures = [];

function row(label, bytes, budget, note = '') {
  const over = bytes > budget;
  console.log(`${kilobytes(bytes)} gz  ${label}${note}${over ? `  over the budget of ${budget} B` : ''}`);
  if (over) failures.push(label);
}

/** A module and what it imports before it runs, among these files; with `lazy` also what it imports later. */
function imported(path, among, { lazy = false } = {}, found = new Set()) {
  found.add(path);
  const pattern = lazy ? /(?:from|import)\s*\(?\s*[`"']\.\/([^`"']+)[`"']/g : /(?:from|import)\s*["']\.\/([^"']+)["']/g;
  for (const [, name] of readFileSync(path, 'utf8').matchAll(pattern)) {
    const next = among.find((other) => basename(other) === name);
    if (next && !found.has(next)) imported(next, among, { lazy }, found);
  }
  return found;
}

/** Files of shared modules that come with these names. */
function sharedFiles(modules, names, found = new Set()) {
  for (const name of names) {
    const file = join(STATIC, modules[name].file);
    if (found.has(file)) continue;
    found.add(file);
    sharedFiles(modules, modules[name].imports, found);
  }
  return found;
}

function pageFiles() {
  const html = readFileSync(join(STATIC, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="static\/([^"]+\.(?:js|css))"/g)].map((match) => join(STATIC, match[1]));
  return new Set([join(STATIC, 'index.html'), ...named]);
}

function measurePage(modules) {
  for (const name of SHARED.filter((name) => !PREACT.includes(name) || name === 'preact')) {
    row(name, gzipped(join(STATIC, modules[name].file)), BUDGETS[name] ?? BUDGETS.shared);
  }
  row('page', sum(pageFiles()), BUDGETS.page, ', with what it shares');
}

/** A tab by itself; as the first one, with the page and all that it shares; and each part that it loads later. */
function measureTab({ name, out }, modules, page) {
  const all = files(out);
  const entry = join(out, 'index.js');
  const atOnce = imported(entry, all);
  const later = [...imported(entry, all, { lazy: true })].filter((path) => !atOnce.has(path));
  const own = all.filter((path) => !later.includes(path)); // workers are no modules that anything imports: they count
  const { imports } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  const first = new Set([...page, ...sharedFiles(modules, imports), ...own]);
  row(`plugin ${name}`, sum(own), BUDGETS.tab, `, as the first tab ${kilobytes(sum(first)).trim()}`);
  const isPart = (path) => all.some((other) => readFileSync(other, 'utf8').match(new RegExp(`import\\([\`"']\\./${basename(path)}`)));
  for (const part of later.filter(isPart)) {
    row(`plugin ${name}, later: ${basename(part)}`, sum([...imported(part, all)].filter((path) => !atOnce.has(path))), BUDGETS.part);
  }
}

const only = process.argv.slice(2);
const wanted = (name) => only.length === 0 || only.includes(name);

if (wanted('page')) await buildPage();
const { modules } = JSON.parse(readFileSync(join(STATIC, 'manifest.json'), 'utf8'));
if (wanted('page')) measurePage(modules);
const page = pageFiles();
for (const plugin of pluginEntries()) {
  if (!wanted(plugin.name)) continue;
  await build({ configFile: false, logLevel: 'warn', root: dirname(plugin.entry), ...insightPlugin(plugin) });
  measureTab(plugin, modules, page);
}
if (failures.length) {
  console.error(`over budget: ${failures.join(', ')}`);
  process.exit(1);
}
