import {
  AttemptsChoice,
  boardKeys,
  CardHead,
  cardStyles,
  Choice,
  ErrorCell,
  fileName,
  Frame,
  Menu,
  message,
  portions,
  Range,
  tab,
  useCardAnswer,
  useTableView,
  type ContentOfCard,
  type MenuItem,
} from '@insight-host/kit';
import type { LineChart } from '@insight-host/kit/lines';
import {
  LinkSteps,
  recordsAt,
  stepKeys,
  stepMessages,
  StepSlider,
  stepStyles,
  type CardSteps,
} from '@insight-host/kit/steps';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import en from '../insight_pr_curves/locales/en.json';
import zh from '../insight_pr_curves/locales/zh-CN.json';
import { curvesOf, prParts, tableOf, VIEWS, type Curves, type PrParts } from './board';
import { CurvePlot } from './plot';
import styles from './pr_curves.css?inline';
import { Readings } from './readings';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: prParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['v', 'view.turn', () => board.view.set(VIEWS[(VIEWS.indexOf(board.view.value) + 1) % VIEWS.length] ?? 'pr')],
  ],
});

function App({ board }: { readonly board: PrParts }): JSX.Element {
  const { t: say } = board.page;
  const tools = (
    <>
      <Choice say={say} name="view" label={say('view')} values={VIEWS} setting={board.view} />
      <Range
        name="threshold"
        label={say('threshold')}
        hint={say('threshold.hint')}
        setting={board.threshold}
        low={0}
        high={1}
        step={0.001}
        numberStep={0.01}
      />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
  return (
    <Frame
      board={board}
      name="pr-curves"
      tools={tools}
      card={(card, place) => <CurveCard board={board} card={card} place={place} />}
    />
  );
}

const MOST = 100; // runs in one picture
const LAST = Number.MAX_SAFE_INTEGER; // the step nearest to it is the last one

/** The curves of one tag in all runs, each at the step that is nearest to the slider. */
function CurveCard({ board, card, place }: ContentOfCard<PrParts>): JSX.Element {
  const { page } = board;
  const chart = useRef<LineChart | null>(null);
  const pointed = useSignal<number | null>(null); // the threshold under the pointer
  const all = page.inPanelOrder(board.tags.runsOf(card.tag)).map(({ name }) => name);
  const runs = portions(all)[0]?.slice(0, MOST) ?? [];
  const attempts = board.attempts.value;
  const { records: known } = board.tables.of(card); // nobody else asks for those of a card of several runs
  const records = known.value;
  const index = records ? board.stands.indexOf(card, records) : -1;
  const isLast = !records || index >= records.steps.length - 1;
  const query = { run: runs, tag: card.tag, step: isLast ? LAST : (records.steps[index] as number), attempts };
  const key = JSON.stringify([query, board.version.value]);
  const answer = useCardAnswer<Curves>(board, card, place, key, async (signal) => {
    const found = curvesOf(await page.ctx.data.columns('curves', { ...query, format: 'safetensors' }, { signal }));
    known.value = recordsAt(found.axis, attempts);
    return found;
  });
  const steps: CardSteps = {
    records,
    error: answer.error,
    index,
    move: (to) => records && board.stands.move(card, records, to),
    retry: () => answer.retry(),
  };
  const found = answer.value;
  const { value: view } = board.view;
  const title = page.titleOf(card.tag);
  const table = useTableView(
    page,
    card.tag,
    title,
    () => found && tableOf(page, found),
    () => import('@insight-host/kit/table'),
  );
  const [unread] = found?.errors ?? [];
  return (
    <>
      <CardHead board={board} card={card}>
        <Menu
          action="export"
          icon="export"
          label={page.t('export.title')}
          items={() => [table.item, ...exportsOf(board, card.tag, chart.current)]}
        />
      </CardHead>
      {table.dialog}
      {answer.error && !found ? (
        <div class="view">
          <ErrorCell page={page} card={card} reason={answer.error} onRetry={steps.retry} />
        </div>
      ) : unread && found?.curves.length === 0 ? (
        <div class="view">
          <ErrorCell page={page} card={card} step={unread.step} reason={page.reason(unread)} />
        </div>
      ) : (
        <>
          <CurvePlot
            board={board}
            title={title}
            found={found}
            view={view}
            busy={answer.busy}
            chart={chart}
            threshold={pointed.value ?? board.threshold.value}
            onPoint={(threshold) => (pointed.value = threshold)}
          />
          <Readings board={board} found={found} threshold={pointed.value ?? board.threshold.value} />
        </>
      )}
      <StepSlider board={board} card={card} steps={steps} busy={answer.busy} kind="step" />
      <footer data-testid="card-status">
        <span class="counts">{found && notes(board, found, runs.length, all.length)}</span>
      </footer>
    </>
  );
}

/** Names what the picture leaves out. */
function notes(board: PrParts, { curves, errors }: Curves, shown: number, all: number): string {
  const { t: say } = board.page;
  const thinned = curves.filter(({ recorded, thresholds }) => recorded > 1000 && thresholds.length >= 1000).length;
  return [
    shown < all ? say('runs.some', { shown, all }) : say('runs', { count: curves.length }),
    ...(errors.length > 0 ? [say('unread', { count: errors.length })] : []),
    ...(thinned > 0 ? [say('thinned', { count: thinned })] : []),
  ].join(' · ');
}

function exportsOf(board: PrParts, tag: string, chart: LineChart | null): readonly MenuItem[] {
  const save = (extension: 'svg' | 'png', content: Blob | Promise<Blob>): void =>
    void Promise.resolve(content).then(
      (blob) => board.page.ctx.ui.download(fileName(tag, extension, 'pr_curves'), blob),
      (error: unknown) => board.page.ctx.notify('error', message(error)),
    );
  return [
    {
      action: 'export-svg',
      text: board.page.t('export.svg'),
      onPress: () => chart && save('svg', new Blob([chart.toSVG()], { type: 'image/svg+xml' })),
    },
    {
      action: 'export-png',
      text: board.page.t('export.png'),
      onPress: () => chart && save('png', chart.toPNG()),
    },
  ];
}
