/** Bundles by Vite: one entry, or all modules that the page shares with tabs. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { leaveShared, OUTPUT, plainImports, SHARED, textsByGroup } from './packages/kit/build.js';

export const FRONTEND = dirname(fileURLToPath(import.meta.url));
export const ROOT = dirname(FRONTEND);
export const PACKAGES = join(FRONTEND, 'packages');

export const PREACT = SHARED.filter((name) => !name.startsWith('@insight-host/'));

/** What the kit promises and its internals: one file, so that neither has parts of the other twice. */
const KIT = ['@insight-host/kit', '@insight-host/kit/lab'];

/** Files of shared modules: what goes into each, and under which names the page has it. */
const SHARED_FILES = [
  { file: 'preact', entry: join(PACKAGES, 'preact.ts'), names: PREACT },
  { file: 'kit', entry: join(PACKAGES, 'kit/src/whole.ts'), names: KIT },
  ...SHARED.filter((name) => ![...PREACT, ...KIT].includes(name)).map((name) => {
    const [, scope, part] = name.split('/');
    const source = join(PACKAGES, scope, 'src');
    const entry = part
      ? [`${part}/index.ts`, `${part}.ts`].map((path) => join(source, path)).find(existsSync)
      : join(source, 'index.ts');
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
export async function bundle({
  entry,
  out,
  name,
  own = [],
  minify = true,
  output = OUTPUT,
  plugins = [],
  signatures = 'strict',
}) {
  const { output: made } = await build({
    ...common,
    root: dirname(entry),
    publicDir: false,
    plugins: [leaveShared(own), plainImports(), textsByGroup(), ...plugins],
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
      if (homes.has(source))
        throw new Error(
          `${relative(ROOT, source)} is in ${homes.get(source)} and ${names[0]}: import it by the name of its package`,
        );
      homes.set(source, names[0]);
    }
    for (const name of names) files[name] = { fileName: made[0].fileName, imports: made[0].imports };
  }
  return files;
}
