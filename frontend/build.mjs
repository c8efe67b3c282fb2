/**
 * Builds the page and the ES module of every plugin, prints gzip sizes, and fails over budget.
 *
 * `node frontend/build.mjs` builds everything; `node frontend/build.mjs scalar` only that plugin
 * (`shell` for the page). Budgets are in bytes of gzip: of what a tab loads when it opens, and of each part that it
 * loads later (`import('./part')`).
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const FRONTEND = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(FRONTEND);
const BUDGET = 60_000;

const shared = {
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: {
      '@insight-host/api': join(FRONTEND, 'packages', 'api', 'src'),
      '@insight-host/kit': join(FRONTEND, 'packages', 'kit', 'src'),
    },
  },
};

function pluginEntries() {
  const plugins = join(ROOT, 'plugins');
  const entries = [];
  for (const directory of existsSync(plugins) ? readdirSync(plugins).sort() : []) {
    if (!statSync(join(plugins, directory)).isDirectory()) continue;
    for (const name of readdirSync(join(plugins, directory))) {
      if (!name.startsWith('insight_')) continue;
      const source = join(plugins, directory, name, 'frontend');
      const entry = ['index.tsx', 'index.ts'].map((file) => join(source, file)).find(existsSync);
      if (entry) entries.push({ name: name.slice('insight_'.length), entry, out: join(plugins, directory, name, 'static') });
    }
  }
  return entries;
}

async function buildShell() {
  const out = join(FRONTEND, 'insight_frontend', 'static');
  await build({
    ...shared,
    root: join(FRONTEND, 'shell'),
    // The page is served at the mount point, its assets below static/: every URL stays relative.
    experimental: {
      renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `static/${file}` : { relative: true }),
    },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: {
          hashCharacters: 'hex',
          entryFileNames: 'assets/[name]-[hash:12].js',
          chunkFileNames: 'assets/[name]-[hash:12].js',
          assetFileNames: 'assets/[name]-[hash:12][extname]',
        },
      },
    },
  });
  return out;
}

async function buildPlugin({ entry, out }) {
  await build({
    ...shared,
    root: dirname(entry),
    base: './',
    publicDir: false,
    worker: { format: 'es', rolldownOptions: { output: { hashCharacters: 'hex', entryFileNames: '[name]-[hash:12].js' } } },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      // Not build.lib: that leaves the whitespace in.
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        output: { hashCharacters: 'hex', entryFileNames: 'index.js', chunkFileNames: '[name]-[hash:12].js', assetFileNames: '[name]-[hash:12][extname]' },
      },
    },
  });
}

function files(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

const gzipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(9);
const failures = [];

function report(directory) {
  for (const path of files(directory).filter((path) => /\.(js|css)$/.test(path))) {
    console.log(`${kilobytes(gzipped(path))} gz  ${relative(ROOT, path)}`);
  }
}

function check(label, bytes) {
  const over = bytes > BUDGET;
  console.log(`${kilobytes(bytes)} gz  ${label}${over ? `  over the budget of ${BUDGET} B` : ''}`);
  if (over) failures.push(label);
}

/** The files that index.html names. */
function namedFiles(directory) {
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="static\/([^"]+\.(?:js|css))"/g)].map((match) => match[1]);
  if (!named.length || /<script(?![^>]*\ssrc=)/.test(html)) throw new Error('index.html: no assets, or an inline script');
  return named.map((file) => join(directory, file));
}

/** What the browser loads before the first tab opens. */
function shellEntry(directory) {
  return namedFiles(directory).reduce((sum, path) => sum + gzipped(path), 0);
}

/** Widgets of `ctx.ui` that are loaded on first use, and the names of their chunks. */
const WIDGETS = { lineChart: 'lines', histogramChart: 'chart' };

/** A module and what it imports before it runs, of these files; with `lazy` also what it imports later. */
function imported(path, among, { lazy = false } = {}, found = new Set()) {
  found.add(path);
  const pattern = lazy ? /(?:from|import)\s*\(?\s*[`"']\.\/([^`"']+)[`"']/g : /(?:from|import)\s*["']\.\/([^"']+)["']/g;
  for (const [, name] of readFileSync(path, 'utf8').matchAll(pattern)) {
    const next = among.find((other) => basename(other) === name);
    if (next && !found.has(next)) imported(next, among, { lazy }, found);
  }
  return found;
}

/** What the browser loads when a plugin first asks for its widgets: their chunks, and what these import beside the page. */
function widgetFiles(directory, code) {
  const named = namedFiles(directory);
  const lazy = files(directory).filter((path) => /\.js$/.test(path) && !named.includes(path));
  const used = Object.keys(WIDGETS).filter((widget) => code.includes(widget));
  const found = new Set();
  for (const widget of used) {
    const chunk = lazy.find((path) => basename(path).replace(/-.{12}\.js$/, '') === WIDGETS[widget]);
    if (!chunk) throw new Error(`ctx.ui.${widget}: no chunk ${WIDGETS[widget]}`);
    imported(chunk, lazy, {}, found);
  }
  return [...found];
}

const only = process.argv.slice(2);
const wanted = (name) => only.length === 0 || only.includes(name);
const shellOut = join(FRONTEND, 'insight_frontend', 'static');

if (wanted('shell')) {
  await buildShell();
  report(shellOut);
  check('page', shellEntry(shellOut));
}
for (const plugin of pluginEntries()) {
  if (!wanted(plugin.name)) continue;
  await buildPlugin(plugin);
  report(plugin.out);
  const all = files(plugin.out).filter((path) => /\.(js|css)$/.test(path));
  const entry = join(plugin.out, 'index.js');
  const atOnce = imported(entry, all);
  const later = [...imported(entry, all, { lazy: true })].filter((path) => !atOnce.has(path));
  const isPart = (path) => later.includes(path) && all.some((other) => readFileSync(other, 'utf8').match(new RegExp(`import\\([\`"']\\./${basename(path)}`)));
  const sum = (paths) => {
    const code = paths.filter((path) => /\.js$/.test(path)).map((path) => readFileSync(path, 'utf8')).join('');
    const widgets = existsSync(shellOut) ? widgetFiles(shellOut, code) : [];
    return { bytes: [...paths, ...widgets].reduce((bytes, path) => bytes + gzipped(path), 0), note: widgets.length ? ' with its chart' : '' };
  };
  // Workers are no modules that anything imports: they count with the entry.
  const first = sum(all.filter((path) => !later.includes(path)));
  check(`plugin ${plugin.name}${first.note}`, first.bytes);
  for (const chunk of later.filter(isPart)) {
    const part = sum([...imported(chunk, all)].filter((path) => !atOnce.has(path)));
    check(`plugin ${plugin.name}, later: ${basename(chunk)}${part.note}`, part.bytes);
  }
}
if (failures.length) {
  console.error(`over budget: ${failures.join(', ')}`);
  process.exit(1);
}
