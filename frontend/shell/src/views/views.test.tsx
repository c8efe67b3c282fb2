import { describe, expect, it, vi } from 'vitest';
import { render } from 'preact';
import { fileName } from '../plugin/services';
import { Page, PageProvider } from '../state/page';
import { firstDirectory } from './empty_logdir';
import { matching } from './palette';
import { patternOf, TagTree, treeOf } from './tag_tree';

describe('command palette', () => {
  const all = ['my scalars', 'Scalars', 'resnet/lr=1', 'resnet/lr=2'].map((label) => ({ label, group: 'View' }));
  const labels = (query: string): string[] => matching(all, query).map((one) => one.label);
  it('puts what begins with the query first', () => expect(labels('scal')).toEqual(['Scalars', 'my scalars']));
  it('wants every word', () => expect(labels('lr=2 res')).toEqual(['resnet/lr=2']));
  it('finds a tag among tens of thousands, and whatever begins with the query first', () => {
    const tags = Array.from({ length: 50_000 }, (_, i) => ({ label: `layer_${i}/loss`, group: 'Scalars' }));
    expect(matching(tags, 'layer_4999').map(({ label }) => label)[0]).toBe('layer_4999/loss');
    expect(matching(tags, 'LOSS layer_49999')).toHaveLength(1);
    expect(matching(tags, 'loss')).toHaveLength(60);
  });
  it('takes signs as they are', () => expect(labels('(')).toEqual([]));
  it('shows everything for nothing', () => expect(labels('  ')).toHaveLength(4));
});

describe('tags', () => {
  it('are a tree by the parts between their slashes, with a tag and what is below it apart', () => {
    const [a, a10, train] = treeOf(['train/b', 'a10', 'train/x/2', 'train/x/10', 'a', '/root', 'train']).filter(
      ({ name }) => name !== '',
    );
    expect([a?.path, a10?.path]).toEqual(['a', 'a10']);
    expect(train).toMatchObject({ path: 'train/', count: 3 });
    expect(train?.below.map(({ name, path, count }) => [name, path, count])).toEqual([
      ['b', 'train/b', 1],
      ['x', 'train/x/', 2],
    ]);
    expect(train?.below[1]?.below.map(({ name }) => name)).toEqual(['2', '10']);
  });
  it('are put as regular expressions that match nothing else', () => {
    const odd = 'a.b/(c)[d]{2}^$|*+?\\é-~';
    expect(new RegExp(patternOf(odd), 'iu').test(odd)).toBe(true);
    expect(new RegExp(patternOf('a.b'), 'iu').test('axb')).toBe(false);
    expect(new RegExp(patternOf('loss'), 'iu').test('loss/2')).toBe(false);
    expect(new RegExp(patternOf('loss/', true), 'iu').test('loss/2')).toBe(true);
  });
});

describe('words', () => {
  it.each([
    ['/logs', '/logs'],
    ['/a, /b', '/a'],
    ['mine:/data/logs,other:/x', '/data/logs'],
    ['C:\\logs', 'C:\\logs'],
    ['', 'logs'],
  ])('finds the first directory of %s', (location, directory) => expect(firstDirectory(location)).toBe(directory));
  it('makes names that file systems take', () => {
    expect(fileName('train/loss: a<b>.csv')).toBe('train_loss_ a_b_.csv');
    expect(fileName('')).toBe('download');
  });
});

it('the tree of tags says why it has none', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ error: 'the disk is gone', code: 'lost' }, { status: 503 }));
  const host = document.body.appendChild(document.createElement('div'));
  render(
    <PageProvider value={new Page()}>
      <TagTree plugin="scalar" />
    </PageProvider>,
    host,
  );
  await vi.waitFor(() => expect(host.querySelector('[role=alert]')?.textContent).toBe('the disk is gone'));
  render(null, host);
  host.remove();
});
