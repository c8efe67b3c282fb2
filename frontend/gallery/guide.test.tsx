/** The plugin of docs/reference/kit/guide.md, which quotes it, and its tests as an author writes them. */
import type { Codec } from '@insight-host/api';
import {
  boardKeys,
  CardAlone,
  CardHead,
  cardId,
  cardStyles,
  codecs,
  Frame,
  problemOf,
  tab,
  Toggle,
  useCardAnswer,
  useChart,
  type ContentOfCard,
  type Page,
  type Setting,
} from '@insight-host/kit';
import { mountLineChart, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import {
  LinkSteps,
  recordQuery,
  stepKeys,
  stepMessages,
  stepParts,
  StepSlider,
  stepStyles,
  useSteps,
  type StepParts,
} from '@insight-host/kit/steps';
import { fakeColumns, fakeContext } from '@insight-host/kit/testing';
import { readFileSync } from 'node:fs';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { expect, it, vi } from 'vitest';

const window: Codec<readonly [number, number] | null> = {
  parse(text) {
    const [low = NaN, high = NaN] = (text ?? '').split('~').map(Number);
    return low < high ? [low, high] : null; // whatever a link says
  },
  format: (value) => value && value.join('~'),
};

interface CurveParts extends StepParts {
  readonly log: Setting<boolean>;
  readonly window: Setting<readonly [number, number] | null>;
}

const curveParts = (page: Page): CurveParts => ({
  ...stepParts(page),
  log: page.setting('log', codecs.flag(false)), // #curves.log=1
  window: page.setting('x', window, 300), // #curves.x=0~1, 300 ms after the last change
});

interface Curve {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

function Body({ board, card, place }: ContentOfCard<CurveParts>): JSX.Element {
  const { page } = board;
  const steps = useSteps(board, card); // its records, and where its slider stands
  const { records, index } = steps;
  const query = records && index >= 0 ? recordQuery(card, records, index) : null; // nothing to ask yet
  const shown = useCardAnswer(board, card, place, query && JSON.stringify(query), (signal) =>
    page.ctx.data.json<Curve>('curve', query ?? {}, { signal }),
  );
  return (
    <>
      <CardHead board={board} card={card} />
      <div class={shown.busy ? 'view busy' : 'view'}>
        {problemOf(page, card, steps, shown) ??
          (shown.value && <Plot board={board} curve={shown.value} run={card.run ?? ''} />)}
      </div>
      <StepSlider board={board} card={card} steps={steps} busy={shown.busy} />
    </>
  );
}

interface PlotProps {
  readonly board: CurveParts;
  readonly curve: Curve;
  readonly run: string;
}

function Plot({ board, curve, run }: PlotProps): JSX.Element {
  const { page } = board;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null); // for chart.current?.toSVG(), …
  const props: LineChartProps = {
    lines: [{ id: run, label: page.nameOf(run), color: page.colorOf(run), runs: [run], ...curve }],
    xKind: 'number',
    xLabel: page.t('x'),
    yLabel: page.t('y'),
    title: page.nameOf(run),
    description: page.t('described', { points: curve.x.length }),
    logY: board.log.value,
    xWindow: board.window.value,
    onView: ({ x }) => board.window.set(x),
    theme: page.theme.value,
    locale: page.locale.value,
  };
  useChart(mountLineChart, props, host, chart);
  return <div ref={host} style={{ height: '100%' }} />;
}

const App = ({ board }: { readonly board: CurveParts }): JSX.Element => (
  <Frame
    board={board}
    name="curves"
    tools={[
      <Toggle action="log" label={board.page.t('log')} icon="fit" setting={board.log} />,
      <LinkSteps board={board} />,
    ]}
    card={(card, place) => <Body board={board} card={card} place={place} />}
  />
);

const plugin = tab({
  messages: { en: stepMessages.en, 'zh-CN': stepMessages['zh-CN'] }, // and those of the tab
  styles: cardStyles + stepStyles,
  board: curveParts,
  view: (board) => <App board={board} />,
  card: (board, card) => (
    <CardAlone
      board={board}
      name="curves"
      card={card}
      content={(key, place) => <Body board={board} card={key} place={place} />}
    />
  ),
  keys: (board, host) => [...stepKeys(board), ...boardKeys(board, host)],
});

const context = () =>
  fakeContext(['a'], {
    series: { a: ['pr'] },
    columns: async () =>
      fakeColumns(
        { steps: [0, 10], wall_times: [1, 2], sizes: [8, 8] },
        { records: JSON.stringify({ points: 2, kept: 2, hidden: 0 }) },
      ),
    json: async (route, query) => {
      expect([route, query['step']]).toEqual(['curve', 10]); // the slider stands at the last record
      throw new Error('the file is gone');
    },
  });

it('shows one card without the layout that happy-dom does not have', async () => {
  const host = document.body.appendChild(document.createElement('div'));
  const end = await plugin.renderCard?.(host, context(), cardId({ tag: 'pr', run: 'a' }));
  await vi.waitFor(() => expect(host.querySelector('.reason')?.textContent).toBe('the file is gone'));
  expect(host.querySelector('input')?.max).toBe('1'); // two records
  end?.();
});

it('shows its toolbar, and no card: all have the height 0 here', async () => {
  const host = document.body.appendChild(document.createElement('div'));
  const end = await plugin.mount(host, context());
  await vi.waitFor(() => expect(host.querySelector('[data-testid="tag-count"]')?.textContent).toContain('"shown":1'));
  expect(host.querySelector('[data-testid="card"]')).toBeNull();
  end?.();
});

it('is the plugin of the guide', () => {
  const source = readFileSync('frontend/gallery/guide.test.tsx', 'utf8');
  const guide = readFileSync('docs/reference/kit/guide.md', 'utf8');
  const quoted = [...guide.matchAll(/```tsx\n([^]*?)```/g)].map((match) => match[1] as string);
  expect(quoted.length).toBeGreaterThan(4);
  for (const block of quoted) expect(source).toContain(block);
});
