/** Prints the sizes of what was built, and notes what is over its budget. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FRONTEND } from './bundling.mjs';
import { SHARED } from './packages/kit/build.js';

const STATIC = join(FRONTEND, 'insight_frontend', 'static');

/**
 * Bytes of gzip: of the page as it is loaded, of the shared modules, of a tab without them, of a part that a tab
 * loads later, and of the styles that only a phone waits for.
 */
const BUDGETS = {
  page: 68_000,
  '@insight-host/kit': 25_500,
  '@insight-host/kit/formulas': 62_000,
  '@insight-host/kit/markdown': 29_000,
  shared: 18_000,
  tab: 60_000,
  part: 30_000,
  phone: 4_000,
  font: 50_000,
};

/** Libraries of others that a tab loads when it needs them, with their budgets: by the beginning of their file names. */
const LATE_LIBRARIES = {
  media: { 'plotly-strict.min': 1_600_000, vega: 310_000 },
  scalar: { pdf: 160_000 },
};

const files = (directory) =>
  readdirSync(directory)
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => join(directory, name));
const gzipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const sum = (paths) => [...paths].reduce((bytes, path) => bytes + gzipped(path), 0);
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(9);
export const failures = [];

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

export function pageFiles() {
  const html = readFileSync(join(STATIC, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(media="[^"]+" )?(?:src|href)="static\/([^"]+\.(?:js|css))"/g)]
    .filter(([, media]) => !media) // no window waits for what is not for it
    .map((match) => join(STATIC, match[2]));
  return new Set([join(STATIC, 'index.html'), ...named]);
}

export function measurePage(modules) {
  const shown = new Set();
  for (const name of SHARED) {
    if (shown.has(modules[name].file)) continue; // another name of it
    shown.add(modules[name].file);
    row(name, gzipped(join(STATIC, modules[name].file)), BUDGETS[name] ?? BUDGETS.shared);
  }
  row('page', sum(pageFiles()), BUDGETS.page, ', with what it shares');
  const known = [...pageFiles(), ...SHARED.map((name) => join(STATIC, modules[name].file))];
  const later = files(join(STATIC, 'assets')).filter((path) => path.endsWith('.js') && !known.includes(path));
  const phone = files(join(STATIC, 'assets')).filter((path) => basename(path).startsWith('phone-'));
  row('page, on a phone', sum(phone), BUDGETS.phone);
  const fonts = readdirSync(join(STATIC, 'assets')).filter((name) => name.endsWith('.woff2'));
  row('page, font', sum(fonts.map((name) => join(STATIC, 'assets', name))), BUDGETS.font);
  for (const part of later) row(`page, later: ${basename(part)}`, gzipped(part), BUDGETS.part);
}

/**
 * A tab by itself; as the first one, with the page and all that it shares; and each part that it loads later.
 * Returns the files of libraries.
 */
export function measureTab({ name, out }, modules, page) {
  const built = files(out);
  const isLibrary = (path, [library]) => basename(path).startsWith(`${library}-`);
  const libraries = Object.entries(LATE_LIBRARIES[name] ?? {});
  const all = built.filter((path) => !libraries.some((library) => isLibrary(path, library)));
  const entry = join(out, 'index.js');
  const atOnce = imported(entry, all);
  const alongside = all.filter((path) => ['contributions.js', 'snapshot.js'].includes(basename(path)));
  const later = [entry, ...alongside]
    .flatMap((path) => [...imported(path, all, { lazy: true })])
    .filter((path) => !atOnce.has(path));
  const own = all.filter((path) => !later.includes(path)); // workers are no modules that anything imports: they count
  const { imports } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  const first = new Set([...page, ...sharedFiles(modules, imports), ...own]);
  row(`plugin ${name}`, sum(own), BUDGETS.tab, `, as the first tab ${kilobytes(sum(first)).trim()}`);
  const isPart = (path) =>
    all.some((other) => readFileSync(other, 'utf8').match(new RegExp(`import\\([\`"']\\./${basename(path)}`)));
  const ofLibraries = libraries.flatMap((library) => {
    const paths = built.filter((path) => isLibrary(path, library));
    for (const path of paths) row(`plugin ${name}, library: ${basename(path)}`, gzipped(path), library[1]);
    return paths;
  });
  for (const part of [...alongside, ...later.filter(isPart)]) {
    row(
      `plugin ${name}, later: ${basename(part)}`,
      sum([...imported(part, all)].filter((path) => !atOnce.has(path))),
      BUDGETS.part,
    );
  }
  return ofLibraries;
}
