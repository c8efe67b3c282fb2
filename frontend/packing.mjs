/**
 * Packs `@insight-host/api` and `@insight-host/kit` as npm packages for authors of plugins: types, readable modules,
 * the preset.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildShared, bundle, PACKAGES, ROOT } from './bundling.mjs';
import { OUTPUT } from './packages/kit/build.js';

/** Runs npm: the one that runs this build, or that of PATH. */
function npm(...options) {
  const { npm_execpath: script } = process.env;
  if (script) execFileSync(process.execPath, [script, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  else execFileSync('npm', options, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
}

/** Type declarations of both packages, below `out`. */
function declare(out) {
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', out];
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', PACKAGES, ...options], {
    stdio: 'inherit',
  });
}

/**
 * Writes the tarballs into the directory `target`: the same bytes from the same content, as npm has it. The modules in
 * them are not minified: authors read them in stack traces.
 */
export async function pack(target) {
  const work = mkdtempSync(join(tmpdir(), 'insight-host-pack-'));
  try {
    declare(join(work, 'types'));
    const readable = { minify: false, output: { ...OUTPUT, entryFileNames: '[name].js' } };
    const built = await buildShared(join(work, 'dist'), readable);
    const testing = await bundle({
      entry: join(PACKAGES, 'kit/src/testing.ts'),
      out: join(work, 'dist'),
      name: 'kit-testing',
      ...readable,
    });
    built['@insight-host/kit/testing'] = testing[0]; // for tests of authors: the page does not have it
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const scope of ['api', 'kit']) {
      const [source, staged] = [join(PACKAGES, scope), join(work, 'packed', scope)];
      cpSync(join(work, 'types', scope, 'src'), join(staged, 'types'), { recursive: true });
      cpSync(join(ROOT, 'LICENSE'), join(staged, 'LICENSE'));
      for (const file of ['package.json', 'README.md', 'build.js', 'build.d.ts'])
        if (existsSync(join(source, file))) cpSync(join(source, file), join(staged, file));
      const { name } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
      const own = Object.entries(built).filter(([each]) => each === name || each.startsWith(`${name}/`));
      for (const [at, [each, { fileName }]] of own.entries()) {
        if (own.findIndex(([, other]) => other.fileName === fileName) < at) continue; // another name of a module
        cpSync(join(work, 'dist', fileName), join(staged, 'dist', `${each.slice(name.length + 1) || 'index'}.js`));
      }
      for (const found of readdirSync(staged, { recursive: true, withFileTypes: true }))
        if (found.isFile()) chmodSync(join(found.parentPath, found.name), 0o644); // npm keeps the modes of the checkout
      npm('pack', staged, '--ignore-scripts', '--silent', '--pack-destination', target);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
