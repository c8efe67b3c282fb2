/** Flatness of the final landscapes of runs, or of one landscape: what the route `flatness` answers, and its rows. */
import { message, valueText } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { LandscapeParts } from './board';

/** What the route `flatness` answers. */

/** A value, and how far it may be off; null where the grid does not say. */
interface Measured {
  readonly value: number;
  readonly error: number | null;
}

interface Curvature {
  readonly largest: Measured;
  readonly smallest: Measured;
}

interface Minimum {
  readonly kind: 'minimum' | 'saddle' | 'slope';
  /** Up is `n`. */
  readonly falls: readonly ('e' | 'ne' | 'n' | 'nw' | 'w' | 'sw' | 's' | 'se')[];
  readonly drop: number;
}

interface RunFlatness {
  readonly run: string;
  readonly id: string;
  /** The loss at the end; null without a finite one. */
  readonly loss: number | null;
  /** The mean rise on the circle, and the largest. */
  readonly rise: Measured | null;
  readonly worst: Measured | null;
  readonly area: { readonly size: Measured; readonly edge: boolean } | null;
  /** Of the points next to the end, and of all within the radius. */
  readonly curvature: Curvature | null;
  readonly wide_curvature: Curvature | null;
  /** Whether training ended in a minimum, and where the loss falls if not; null where the grid does not say. */
  readonly minimum: Minimum | null;
  /** Whether the run cannot be told from the one before it. */
  readonly tie: boolean;
  /** Whether the directions are normalised by filters. */
  readonly normalised: boolean | null;
}

export interface FlatnessAnswer {
  readonly radius: number;
  /** The largest radius that all grids have around the end. */
  readonly reach: number;
  readonly epsilon: number;
  /** The flattest first, then those that did not end in a minimum. */
  readonly runs: readonly RunFlatness[];
}

/** Flatness of the final landscapes of runs, or of one landscape; the last answer stays until the next is there. */
export function useFlatness(
  board: LandscapeParts,
  runs: readonly string[],
  id: string | null,
): { readonly answer: FlatnessAnswer | null; readonly error: string } {
  const answer = useSignal<FlatnessAnswer | null>(null);
  const error = useSignal('');
  const { ctx } = board.page;
  const radius = board.radius.value;
  useEffect(() => {
    if (runs.length === 0) return;
    const stop = new AbortController();
    ctx.data
      .json<FlatnessAnswer>('flatness', { run: runs, id, radius }, { signal: stop.signal })
      .then((found) => {
        answer.value = found;
        error.value = '';
      })
      .catch((cause: unknown) => !stop.signal.aborted && (error.value = message(cause)));
    return () => stop.abort();
  }, [runs.join('\n'), id, radius, ctx.generation.value]);
  return { answer: answer.value, error: error.value };
}

/** A value in few digits with how far it may be off. */
export function measuredText(measured: Measured | null | undefined): string {
  if (!measured) return '—';
  const { value, error } = measured;
  const short = (number: number, digits: number): string => valueText(Number(number.toPrecision(digits)));
  if (error === null) return short(value, 3);
  if (error <= Math.abs(value) * 5e-4) return short(value, 4);
  const digits = Math.max(1, Math.min(4, Math.floor(Math.log10(Math.abs(value) / error)) + 2));
  return `${short(value, digits)} ± ${short(error, 2)}`;
}

/** Where the rise and the area are measured. */
export function Measure({
  board,
  answer: { radius, epsilon },
}: {
  readonly board: LandscapeParts;
  readonly answer: FlatnessAnswer;
}): JSX.Element {
  return (
    <p class="hint" data-testid="measure">
      {board.page.t('flatness.measure', { radius: shortText(radius), epsilon: shortText(epsilon) })}
    </p>
  );
}

const shortText = (value: number): string => valueText(Number(value.toPrecision(3)));

/** What is measured of one landscape, as rows of name and value with a hint. */
export function flatnessRows(
  board: LandscapeParts,
  { radius, epsilon }: FlatnessAnswer,
  one: RunFlatness,
): readonly { readonly name: string; readonly value: string; readonly hint: string }[] {
  const { t: say } = board.page;
  const { area, curvature } = one;
  const size = measuredText(area?.size);
  return [
    {
      name: say('flatness.rise'),
      value: measuredText(one.rise),
      hint: say('flatness.rise.hint', { radius: shortText(radius) }),
    },
    { name: say('flatness.worst'), value: measuredText(one.worst), hint: say('flatness.worst.hint') },
    {
      name: say('flatness.area'),
      value: area?.edge ? say('flatness.more', { size }) : size,
      hint: say('flatness.area.hint', { epsilon: shortText(epsilon) }),
    },
    {
      name: say('flatness.curvature'),
      value: rangeText(board, curvature),
      hint: say('flatness.curvature.hint'),
    },
    {
      name: say('flatness.wide'),
      value: rangeText(board, one.wide_curvature),
      hint: say('flatness.wide.hint', { radius: shortText(radius) }),
    },
  ];
}

function rangeText(board: LandscapeParts, curvature: Curvature | null): string {
  if (!curvature) return '—';
  const { smallest, largest } = curvature;
  return board.page.t('flatness.range', { low: measuredText(smallest), high: measuredText(largest) });
}

/** Where the loss falls, if training did not end in a minimum of the plane. */
export function NoMinimum({
  board,
  one: { minimum },
}: {
  readonly board: LandscapeParts;
  readonly one: RunFlatness;
}): JSX.Element | null {
  const { t: say } = board.page;
  if (!minimum || minimum.kind === 'minimum') return null;
  const [first = '', second] = minimum.falls.map((direction) => say(`direction.${direction}`));
  const where = second === undefined ? first : say('flatness.falls.both', { first, second });
  return (
    <p class="hint" data-testid="no-minimum">
      {say(`flatness.${minimum.kind}`, { where, drop: shortText(minimum.drop) })}
    </p>
  );
}

/** The flatness of one landscape. */
export function FlatnessList({
  board,
  run,
  id,
}: {
  readonly board: LandscapeParts;
  readonly run: string;
  readonly id: string;
}): JSX.Element | null {
  const { t: say } = board.page;
  const { answer, error } = useFlatness(board, [run], id);
  const one = answer?.runs[0];
  if (error) return <p class="error">{error}</p>;
  if (!answer || !one || one.id !== id || one.run !== run) return null;
  return (
    <section data-testid="flatness">
      <h4>{say('flatness')}</h4>
      <Measure board={board} answer={answer} />
      <dl>
        {flatnessRows(board, answer, one).map(({ name, value, hint }) => (
          <div key={name} title={hint}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <NoMinimum board={board} one={one} />
      {one.normalised === false && <p class="hint">{say('flatness.own')}</p>}
    </section>
  );
}
