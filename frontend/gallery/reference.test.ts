import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as draw from '@insight-host/kit/draw';
import * as histograms from '@insight-host/kit/histograms';
import * as html from '@insight-host/kit/html';
import * as kit from '@insight-host/kit';
import * as lines from '@insight-host/kit/lines';
import * as steps from '@insight-host/kit/steps';
import * as table from '@insight-host/kit/table';

const page = readFileSync('docs/reference/kit/components.md', 'utf8');
const readme = readFileSync('frontend/packages/kit/README.md', 'utf8');

const isComponent = ([name, value]: readonly [string, unknown]): boolean =>
  /^[A-Z][a-z]/.test(name) && typeof value === 'function' && !String(value).startsWith('class');

describe.each(Object.entries({ kit, draw, histograms, html, lines, steps, table }))('components of %s', (_, module) => {
  const names = Object.entries(module)
    .filter(isComponent)
    .map(([name]) => name);

  it('are in the reference, each with a heading', () => {
    expect(names.filter((name) => !page.includes(`\n### ${name}\n`))).toEqual([]);
  });

  it('are in the README of the kit', () => {
    expect(names.filter((name) => !readme.includes(`\`${name}\``) && !readme.includes(`\`${name}(`))).toEqual([]);
  });
});

it('the reference has no component that is not exported', () => {
  const exported = Object.keys({ ...kit, ...histograms, ...steps, ...table });
  const headings = [...page.matchAll(/^### (\w+)$/gm)].map((match) => match[1] as string);
  expect(headings.length).toBeGreaterThan(30);
  expect(headings.filter((name) => !exported.includes(name))).toEqual([]);
});
