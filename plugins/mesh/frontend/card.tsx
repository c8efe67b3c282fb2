import {
  canvasFile,
  CardHead,
  cardId,
  Empty,
  fileName,
  Menu,
  message,
  NumberBox,
  problemOf,
  useCardAnswer,
  useTableView,
  type CardKey,
  type ContentOfCard,
  type MenuItem,
  type Page,
} from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { recordNotes, StepSlider, timeLabel, useSteps, type Records } from '@insight-host/kit/steps';
import type { ChartData } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { MeshParts } from './board';
import { PLAIN } from './catalogue';
import { lookOf, paintPicture, type Look } from './picture';
import { pointOf, rowOf, shapeOf, shapeQuery, type Shape } from './shape';
import { Stage } from './stage';

const REST = 2_000; // ms between two questions about what grows

/** Shows one shape of one run at a step. */
export function ShapeCard({ board, card, place }: ContentOfCard<MeshParts>): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const steps = useSteps(board, card);
  const { records, index } = steps;
  const sample = board.samples.of(card) ?? 0;
  const there = records !== null && index >= 0;
  const key = there ? JSON.stringify([cardId(card), shapeQuery(card, records, index, sample)]) : null;
  const answer = useCardAnswer<Shape>(board, card, place, key, async (signal) => {
    const query = { ...shapeQuery(card, records as Records, index, sample), format: 'safetensors' };
    return shapeOf(await page.ctx.data.columns('shape', query, { signal }));
  });
  const runs = board.tags.runNames(card.tag);
  const attempts = board.attempts.value;
  const visible = page.visible.value;
  useEffect(() => {
    if (visible) void board.frames.want(card.tag, runs, attempts);
  }, [card.tag, runs.join('\n'), attempts, visible]);
  useGrowth(board, card);
  const shape = answer.value;
  const look = useLook(board, card, shape);
  const title = page.titleOf(card.tag);
  const table = useTableView(
    page,
    `${card.tag}_${card.run}`,
    shape && shape.points > MOST_ROWS
      ? `${title}, ${page.nameOf(card.run ?? '')}: ${say('table.some', { count: MOST_ROWS, all: shape.points })}`
      : `${title}, ${page.nameOf(card.run ?? '')}`,
    () => shape && tableOf(page, shape),
    () => import('@insight-host/kit/table'),
  );
  const label =
    shape && records && index >= 0
      ? say(shape.faces ? 'label.mesh' : 'label.points', {
          tag: title,
          run: page.nameOf(card.run ?? ''),
          at: timeLabel(records, index, board.time.value, page.locale.value, say),
          points: shape.points,
          triangles: shape.triangles,
        })
      : '';
  return (
    <>
      <CardHead board={board} card={card}>
        <Menu
          action="export"
          icon="export"
          label={say('export.title')}
          items={() => [table.item, ...exportsOf(board, card, look, records, index, sample)]}
        />
      </CardHead>
      {table.dialog}
      <div class={answer.busy ? 'view busy' : 'view'} data-step={shape?.step}>
        {problemOf(page, card, steps, answer) ??
          (shape?.points === 0 ? (
            <Empty title={say('none')} text="" />
          ) : (
            look && <Stage board={board} card={card} look={look} label={label} />
          ))}
      </div>
      <StepSlider board={board} card={card} steps={steps} busy={answer.busy} />
      <footer data-testid="card-status">
        <SampleChoice board={board} card={card} count={shape?.samples ?? null} />
        {shape && !answer.error && <Counts board={board} shape={shape} records={records} />}
      </footer>
    </>
  );
}

/** Records of plain tensors are asked for again while logs grow: changes of these are those of another plugin. */
function useGrowth(board: MeshParts, card: CardKey): void {
  const isPlain = board.tags.infoOf(card.run ?? '', card.tag)?.plugin === PLAIN;
  useEffect(() => {
    if (!isPlain) return;
    const { generation } = board.page.ctx;
    const grown = new Spaced(REST, () => board.tables.retry(card));
    const { value: now } = generation;
    const stop = generation.subscribe((next) => next !== now && grown.ask());
    return () => {
      stop();
      grown.cancel();
    };
  }, [cardId(card), isPlain]);
}

interface SampleProps {
  readonly board: MeshParts;
  readonly card: CardKey;
  /** Samples of the batch; null until they are known. */
  readonly count: number | null;
}

/** Names the shape of a batch that is shown; empty for a batch of one. */
function SampleChoice({ board, card, count }: SampleProps): JSX.Element | null {
  const { t: say } = board.page;
  const sample = board.samples.of(card) ?? 0;
  if (sample === 0 && (count ?? 1) <= 1) return null;
  return (
    <label class="sample" title={say('sample.hint')}>
      <span>{say('sample')}</span>
      <NumberBox
        name="sample"
        label={say('sample')}
        value={sample}
        low={0}
        high={(count ?? sample + 1) - 1}
        live
        onPick={(value) => board.samples.set(card, value || null)}
      />
      {count !== null && <span>{say('sample.of', { count })}</span>}
    </label>
  );
}

/** Kept while nothing changes that the picture depends on. */
function useLook(board: MeshParts, card: CardKey, shape: Shape | null): Look | null {
  const frame = board.frames.of(card.tag).value;
  const { lens, draw, color, size, oneScale, page } = board;
  const run = page.runsByName.value.get(card.run ?? '')?.color;
  return useMemo(
    () => shape && lookOf(board, card, shape, frame),
    [
      shape,
      frame,
      run,
      lens.value,
      draw.value,
      color.value,
      size.value,
      oneScale.value,
      page.theme.value,
      board.cameras.of(card.tag),
    ],
  );
}

/** Counts what is shown and what was left out. */
function Counts({
  board,
  shape,
  records,
}: {
  readonly board: MeshParts;
  readonly shape: Shape;
  readonly records: Records | null;
}): JSX.Element {
  const { page } = board;
  const notes = shape.notes.map((note) => page.reason(note));
  const drawn = board.renderer()?.pace.atRest ?? Infinity;
  const thinned = shape.recorded_points > shape.points && shape.places !== null && shape.faces === null;
  const text = [
    thinned
      ? page.t('points.some', { count: shape.points, all: shape.recorded_points })
      : page.t('points', { count: shape.points }),
    ...(shape.faces ? [page.t('triangles', { count: shape.triangles })] : []),
    ...(drawn < shape.points && !(shape.faces && board.draw.value !== 'points')
      ? [page.t('points.drawn', { count: drawn })]
      : []),
    ...notes,
    ...(records ? recordNotes(page, records) : []),
  ].join(' · ');
  return (
    <span class="counts" title={text}>
      {text}
    </span>
  );
}

/** Size of a saved picture in CSS pixels, and pixels of the file for each. */
const [WIDTH, HEIGHT, RATIO] = [800, 600, 2];

/** Saves the files of the menu of a card. */
function exportsOf(
  board: MeshParts,
  card: CardKey,
  look: Look | null,
  records: Records | null,
  index: number,
  sample: number,
): readonly MenuItem[] {
  const { page } = board;
  if (!look || !records || index < 0) return [];
  const { step } = look.scene.shape;
  const save = async (): Promise<void> => {
    const renderer = board.renderer();
    if (!renderer) return page.ctx.notify('error', page.t('webgl'));
    const canvas = document.createElement('canvas');
    const size = { width: WIDTH, height: HEIGHT, ratio: RATIO, columns: WIDTH * RATIO, rows: HEIGHT * RATIO };
    paintPicture(canvas, renderer, look, size, { background: look.scene.paper });
    page.ctx.ui.download(
      fileName(`${page.titleOf(card.tag)}_${step}`, 'png', card.run ?? ''),
      await canvasFile(canvas),
    );
  };
  return [
    {
      action: 'export-png',
      text: page.t('export.png'),
      onPress: () => void save().catch((error: unknown) => page.ctx.notify('error', message(error))),
    },
    {
      action: 'export-ply',
      text: page.t('export.ply'),
      href: page.ctx.data.href('ply', shapeQuery(card, records, index, sample)),
    },
  ];
}

const MOST_ROWS = 100_000;

/** The points of a shape, with their colours. */
export function tableOf({ t: say }: Pick<Page, 't'>, shape: Shape): ChartData {
  const colors = shape.colors;
  const channels = ['red', 'green', 'blue'];
  return {
    head: [say('table.point'), 'x', 'y', 'z', ...(colors ? channels.map((name) => say(`table.${name}`)) : [])],
    rows: Array.from({ length: Math.min(shape.points, MOST_ROWS) }, (_, point) => [
      rowOf(shape, point),
      ...pointOf(shape, point),
      ...(colors ? colors.subarray(3 * point, 3 * point + 3) : []),
    ]),
  };
}
