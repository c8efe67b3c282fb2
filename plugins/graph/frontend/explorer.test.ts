import type { Query } from '@insight-host/api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import type { GraphInfo, Scope } from './answers';
import { Page } from '@insight-host/kit';
import { graphParts, type GraphParts } from './board';
import { layOut } from './layout/layout';
import { Layouts, type LayoutPort } from './layout/layouts';
import { edge, node, scope } from './testing';
import { noticeText } from './texts';

/** A worker that is none. */
function port(): LayoutPort {
  return {
    onmessage: null,
    onerror: null,
    postMessage(message) {
      const { number, input } = message as { number: number; input: Parameters<typeof layOut>[0] };
      queueMicrotask(() => this.onmessage?.({ data: { number, layout: layOut(input) } } as MessageEvent));
    },
    terminate: () => undefined,
  };
}

const SCOPES: Readonly<Record<string, Scope>> = {
  '': scope(
    '',
    [
      node('in'),
      node('a', 'scope', { children: 9 }),
      node('b', 'scope', { children: 300 }),
      ...Array.from({ length: 6 }, (_, i) => node(`n${i}`)),
    ],
    [edge('in', 'a'), edge('a', 'b')],
  ),
  a: scope('a', [node('a/x'), node('a/c', 'scope', { children: 400 })], [edge('a/x', 'a/c')]),
  'a/c': scope(
    'a/c',
    Array.from({ length: 400 }, (_, i) => node(`a/c/${i}`)),
    [],
  ),
  b: scope(
    'b',
    Array.from({ length: 300 }, (_, i) => node(`b/${i}`)),
    [],
  ),
};
const graph = (run: string): GraphInfo => ({
  run,
  tag: 'g',
  index: 0,
  step: 0,
  wall_time: 1,
  size: 9,
  kind: 'operators',
  format: 'mindspore',
  name: 'g',
});

let page: Page | null = null;
afterEach(() => page?.dispose());

function made(
  answer: (route: string, query: Query) => unknown = () => undefined,
  runs = ['r', 's'],
): { readonly board: GraphParts; readonly ctx: FakeContext; readonly asked: string[] } {
  const asked: string[] = [];
  const ctx = fakeContext(runs, {
    json: async (route, query) => {
      asked.push(`${route} ${String(query['id'] ?? '')}`);
      const own = answer(route, query);
      if (own !== undefined) return own;
      if (route === 'graphs') return { graphs: runs.map(graph), profiles: [], pipelines: [] };
      if (route === 'scope')
        return SCOPES[String(query['id'])] ?? Promise.reject(new Error(`no scope ${String(query['id'])}`));
      if (route === 'node')
        return {
          path: [
            { id: 'a', name: 'a', kind: 'scope' },
            { id: 'a/c', name: 'c', kind: 'scope' },
          ],
        };
      throw new Error(route);
    },
  });
  const board = graphParts(new Page(ctx), new Layouts(port));
  page = board.page;
  board.explorer.view.value = { width: 800, height: 600 };
  return { board, ctx, asked };
}
const frames = ({ explorer }: GraphParts): readonly string[] | undefined =>
  explorer.scene.value?.frames.map((frame) => frame.node.id);
const shown = (found: GraphParts, ids: readonly string[]) => vi.waitFor(() => expect(frames(found)).toEqual(ids));

describe('what is opened', () => {
  it('stays where it is on the screen, also when it closes', async () => {
    const { board, ctx } = made();
    await shown(board, []);
    const place = (id: string): readonly [number, number] => {
      const { scene, view } = board.explorer;
      const [at, camera] = [
        scene.value?.places.get(id),
        board.explorer.cameraOf(scene.value as NonNullable<typeof scene.value>),
      ];
      return [
        ((at?.x ?? NaN) - camera.x) * camera.scale + view.value.width / 2,
        ((at?.y ?? NaN) - camera.y) * camera.scale + view.value.height / 2,
      ];
    };
    const before = place('a');
    board.explorer.toggle('a');
    await shown(board, ['a']);
    expect(place('a')).toEqual([expect.closeTo(before[0], 6), expect.closeTo(before[1], 6)]);
    expect(ctx.address.value.get('open')).toBe('a');
    board.explorer.toggle('a');
    await shown(board, []);
    expect(place('a')).toEqual([expect.closeTo(before[0], 6), expect.closeTo(before[1], 6)]);
    expect(ctx.address.value.get('open')).toBe('~');
  });

  it('closes with what is in it, and a selection within becomes the scope', async () => {
    const { board } = made();
    await shown(board, []);
    await board.explorer.reveal('a/c/7');
    await shown(board, ['a', 'a/c']);
    expect(board.looks.selected.value).toBe('a/c/7');
    board.explorer.toggle('a');
    await shown(board, []);
    expect(board.looks.selected.value).toBe('a');
    expect(board.looks.expanded.value).toEqual([]);
  });

  it('comes back from the URL, and what is not there is left out', async () => {
    const { board, asked } = made();
    board.looks.expanded.set(['a', 'gone', 'a/c']);
    await shown(board, ['a', 'a/c']);
    expect(asked).not.toContain('scope gone');
  });

  it('and selected is brought into the middle once the page has a place for it', async () => {
    const { board } = made();
    board.explorer.view.value = { width: 0, height: 0 };
    board.looks.expanded.set(['a', 'a/c']);
    board.looks.select('a/c/399');
    await shown(board, ['a', 'a/c']);
    expect(board.looks.camera.value).toBeNull();
    board.explorer.view.value = { width: 800, height: 600 };
    const place = board.explorer.scene.value?.places.get('a/c/399');
    expect(board.looks.camera.value).toEqual({
      x: (place?.x ?? 0) + (place?.width ?? 0) / 2,
      y: (place?.y ?? 0) + (place?.height ?? 0) / 2,
      scale: 0.8,
    });
  });

  it('is asked for once', async () => {
    const { board, asked } = made();
    await shown(board, []);
    for (const ids of [['a'], [], ['a']]) {
      board.looks.expanded.set(ids);
      await shown(board, ids);
    }
    expect(asked.filter((one) => one === 'scope a')).toHaveLength(1);
  });

  it('is never more than can be drawn: what was opened first is closed, and this is said', async () => {
    const { board, ctx } = made();
    board.looks.expanded.set(['b']);
    await shown(board, ['b']);
    board.explorer.toggle('a');
    await shown(board, ['a', 'b']);
    board.explorer.toggle('a/c');
    await shown(board, ['a', 'a/c']);
    expect(ctx.notices).toEqual([expect.stringContaining('"name":"b"')]);
  });

  it('stays closed when it cannot be read, and the reason is said', async () => {
    const { board, ctx } = made((route, query) =>
      route === 'scope' && query['id'] === 'a' ? Promise.reject(new Error('cut off')) : undefined,
    );
    await shown(board, []);
    board.explorer.toggle('a');
    await vi.waitFor(() => expect(ctx.notices).toContain('cut off'));
    expect(frames(board)).toEqual([]);
    expect(board.explorer.failure.value).toBeNull();
  });

  it('belongs to one graph', async () => {
    const { board } = made();
    board.looks.expanded.set(['a']);
    await shown(board, ['a']);
    board.looks.select('a/x');
    await Promise.resolve();
    board.records.open('graph', { run: 's', tag: 'g', index: 0 });
    await shown(board, []);
    expect([board.looks.selected.value, board.looks.camera.value, board.looks.expanded.value]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('a graph', () => {
  it('that cannot be read says why, and may be tried again', async () => {
    let broken = true;
    const { board } = made((route) => (route === 'scope' && broken ? Promise.reject(new Error('cut off')) : undefined));
    await vi.waitFor(() => expect(board.explorer.failure.value).toBe('cut off'));
    broken = false;
    board.explorer.retry();
    await shown(board, []);
    expect(board.explorer.failure.value).toBeNull();
  });

  it('is that of the run in the run panel, among those that match the filter', async () => {
    const { board, ctx } = made();
    await shown(board, []);
    expect(board.records.graph.value?.run).toBe('r');
    ctx.runs.one.set('s');
    expect(board.records.graph.value?.run).toBe('s');
    ctx.runs.selected.value = ctx.runs.all.value.filter(({ name }) => name === 'r');
    expect(board.records.graph.value?.run).toBe('r');
    ctx.runs.selected.value = [];
    expect(board.records.graph.value).toBeNull();
    await vi.waitFor(() => expect(board.explorer.scene.value).toBeNull());
  });
});

describe('which graph', () => {
  it('is kept for a link once somebody begins to look', async () => {
    const { board, ctx } = made(undefined, ['q', 'r', 's']);
    ctx.runs.one.set('s');
    await shown(board, []);
    expect(ctx.address.value.has('graph')).toBe(false);
    board.explorer.toggle('a');
    await vi.waitFor(() => expect(ctx.address.value.get('graph')).toBe('s;g'));
    // another drawing: what was opened belongs to the one before
    ctx.runs.one.set('r');
    await shown(board, []);
    expect([board.records.graph.value?.run, board.looks.expanded.value]).toEqual(['r', null]);
  });
  it('is that of a link, which chooses the run', async () => {
    const { board, ctx } = made(undefined, ['q', 'r', 's']);
    ctx.address.value = new Map([['graph', 's;g']]);
    await vi.waitFor(() => expect(board.records.graph.value?.run).toBe('s'));
    expect(ctx.runs.one.value).toBe('s');
  });
  it('keeps what was opened in it, unless an address says otherwise', async () => {
    const { board, ctx } = made();
    const looks = (run: string, expanded: readonly string[] | null, selected: string | null) =>
      vi.waitFor(() =>
        expect([board.records.graph.value?.run, board.looks.expanded.value, board.looks.selected.value]).toEqual([
          run,
          expanded,
          selected,
        ]),
      );
    await shown(board, []);
    board.records.open('graph', graph('s'));
    await shown(board, []);
    board.explorer.toggle('a');
    await shown(board, ['a']);
    board.records.open('graph', graph('r'));
    await looks('r', null, null);
    board.looks.select('in');
    await shown(board, []);
    board.records.open('graph', graph('s'));
    await looks('s', ['a'], null);
    await shown(board, ['a']);
    ctx.address.value = new Map([
      ['graph', 'r;g'],
      ['open', 'b'],
    ]);
    await shown(board, ['b']);
    await looks('r', ['b'], null);
  });
  it('is followed by the pipeline of the same run', async () => {
    const pipelines = [
      { ...graph('q'), tag: 'short', size: 1 },
      { ...graph('q'), tag: 'long', size: 9 },
      { ...graph('r'), tag: 'p' },
    ];
    const { board, ctx } = made(
      (route) => (route === 'graphs' ? { graphs: ['q', 'r', 's'].map(graph), profiles: [], pipelines } : undefined),
      ['q', 'r', 's'],
    );
    ctx.runs.one.set('r');
    await vi.waitFor(() => expect(board.records.pipeline.value?.tag).toBe('p'));
    board.records.open('graph', graph('q'));
    board.records.turn('pipeline');
    expect([board.records.show.value, board.records.pipeline.value?.tag]).toEqual(['pipeline', 'long']);
    board.records.open('pipeline', pipelines[2] as GraphInfo);
    board.records.turn('graph');
    expect([board.records.show.value, board.records.graph.value?.run]).toEqual(['graph', 'r']);
    ctx.runs.one.set('s'); // has no pipeline
    expect(board.records.ownPipelines.value).toEqual([]);
  });
  it('has the name that people gave its run', () => {
    const { board, ctx } = made();
    ctx.runs.all.value = ctx.runs.all.value.map((run) => (run.name === 'r' ? { ...run, displayName: 'best' } : run));
    expect([board.page.nameOf('r'), board.page.nameOf('s'), board.page.nameOf('gone')]).toEqual(['best', 's', 'gone']);
  });
});

describe('a notice', () => {
  it('is said in the language of the page, or as the server says it', () => {
    const say = (key: string, values?: Readonly<Record<string, string | number>>): string =>
      ({ 'notice.cycles': '环路', 'notice.cut': '在 {at} 处' })[key]?.replace(
        '{at}',
        String(values?.['at'] ?? '{at}'),
      ) ?? key;
    const words = { t: say };
    const notice = { count: 1, text: 'in English', examples: [] };
    expect(noticeText(words, { ...notice, code: 'cycles' })).toBe('环路');
    expect(noticeText(words, { ...notice, code: 'cut', values: { at: 7 } })).toBe('在 7 处');
    expect(noticeText(words, { ...notice, code: 'cut' })).toBe('in English');
    expect(noticeText(words, { ...notice, code: 'unheard_of' })).toBe('in English');
  });
});
