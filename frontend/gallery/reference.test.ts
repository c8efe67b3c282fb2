import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as draw from '@insight-host/kit/draw';
import * as flame from '@insight-host/kit/flame';
import * as histograms from '@insight-host/kit/histograms';
import * as html from '@insight-host/kit/html';
import * as kit from '@insight-host/kit';
import * as lab from '@insight-host/kit/lab';
import * as lines from '@insight-host/kit/lines';
import * as steps from '@insight-host/kit/steps';
import * as table from '@insight-host/kit/table';
import * as base from '../packages/kit/src/base';
import * as lastRelease from '../packages/kit/src/last_release';

const page = readFileSync('docs/reference/kit/components.md', 'utf8');
const readme = readFileSync('frontend/packages/kit/README.md', 'utf8');

const isComponent = ([name, value]: readonly [string, unknown]): boolean =>
  /^[A-Z][a-z]/.test(name) && typeof value === 'function' && !String(value).startsWith('class');

describe.each(Object.entries({ kit, draw, flame, histograms, html, lines, steps, table }))(
  'components of %s',
  (_, module) => {
    const names = Object.entries(module)
      .filter(isComponent)
      .map(([name]) => name);

    it('are in the reference, each with a heading', () => {
      expect(names.filter((name) => !page.includes(`\n### ${name}\n`))).toEqual([]);
    });

    it('are in the README of the kit', () => {
      expect(names.filter((name) => !readme.includes(`\`${name}\``) && !readme.includes(`\`${name}(`))).toEqual([]);
    });
  },
);

it('the reference has no component that is not exported', () => {
  const exported = Object.keys({ ...kit, ...flame, ...histograms, ...steps, ...table });
  const headings = [...page.matchAll(/^### (\w+)$/gm)].map((match) => match[1] as string);
  expect(headings.length).toBeGreaterThan(30);
  expect(headings.filter((name) => !exported.includes(name))).toEqual([]);
});

it('the listing of what is promised is that of the sources', () => {
  const writer = 'docs/reference/surface/write_javascript.mjs';
  const now = execFileSync('node', [writer, '--print'], { encoding: 'utf8', maxBuffer: 1 << 24 });
  const listed = readFileSync('docs/reference/surface/javascript.txt', 'utf8');
  const [before, after] = [listed, now].map((text) => text.split('\n'));
  const gone = before?.filter((line) => !after?.includes(line));
  const added = after?.filter((line) => !before?.includes(line));
  expect({ gone, added }, `a change that is meant: run node ${writer}`).toEqual({ gone: [], added: [] });
  expect(listed).toBe(now);
}, 60_000);

it('internals are in no promised list', () => {
  const promised = Object.keys({ ...kit, ...flame, ...histograms, ...lines, ...steps, ...table });
  const known = Object.keys({ ...base, ...lastRelease });
  const internals = Object.keys(lab).filter((name) => !known.includes(name));
  expect(internals).toContain('tagFilter');
  expect(internals.filter((name) => promised.includes(name))).toEqual([]);
});
