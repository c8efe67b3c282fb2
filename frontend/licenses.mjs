/** The licences of the packages that bundles are made of: their notices go wherever the bundles go. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bundling.mjs';

const TEXTS = /^(licen[cs]e|copying|notice)/i;

/** Each package that is installed for more than development, by the text that it must come with; equal texts once. */
export function licenses() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const byText = new Map();
  for (const [path, { version, license, dev, optional }] of Object.entries(packages)) {
    if (!path.startsWith('node_modules/') || dev || optional) continue;
    const place = join(ROOT, path);
    const files = existsSync(place) ? readdirSync(place).filter((file) => TEXTS.test(file)) : [];
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${version} (${license})`;
    if (files.length === 0) throw new Error(`${name} has no text of its licence in ${path}`);
    const text = files.map((file) => readFileSync(join(place, file), 'utf8').trim()).join('\n\n');
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return `What the pages of insight-host are bundled from, with its licences.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
