import type { JSX } from 'preact';

/** What a finding names, as a picture: a series, a share of a whole, a metric by a value, or which runs it is about. */
export type Evidence =
  | {
      readonly kind: 'series';
      readonly steps: ArrayLike<number>;
      /** Values that are not finite leave a gap. */
      readonly values: ArrayLike<number>;
      /** The steps of the finding. */
      readonly marked: readonly [number, number] | null;
    }
  | {
      readonly kind: 'share';
      /** Parts of a whole, from 0 to 1. */
      readonly share: number;
      /** What a change saves of it: from, to. */
      readonly saved: readonly [number, number] | null;
    }
  | {
      readonly kind: 'dots';
      /** What a metric is for each value of a hyperparameter, in their order: mean, and what it may be. */
      readonly dots: readonly { readonly mean: number; readonly low: number; readonly high: number }[];
    }
  | {
      readonly kind: 'runs';
      /** Of each run whether it is meant. */
      readonly meant: readonly boolean[];
    };

export interface EvidencePictureProps {
  readonly evidence: Evidence;
  /** What a screen reader says. */
  readonly label: string;
}

const WRONG = 'var(--severity, var(--accent))';
const LINE = { strokeWidth: 1.5, vectorEffect: 'non-scaling-stroke' } as const;
const WIDTH = 280;
const HEIGHT = 56;
const BARS = 18;
const SQUARE = 8;
const GAP = 3;
const MOST = 208; // squares; more runs share them

/**
 * The evidence of a finding, small, as wide as the element around it; its `--severity` is the colour of what is wrong.
 */
export function EvidencePicture({ evidence, label }: EvidencePictureProps): JSX.Element {
  const height = evidence.kind === 'share' ? BARS : evidence.kind === 'runs' ? heightOf(evidence.meant.length) : HEIGHT;
  return (
    <svg
      class="ih-evidence"
      data-evidence={evidence.kind}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      width="100%"
      preserveAspectRatio={evidence.kind === 'runs' || evidence.kind === 'dots' ? 'xMinYMin meet' : 'none'}
    >
      {evidence.kind === 'series' ? (
        <Series {...evidence} />
      ) : evidence.kind === 'share' ? (
        <Share {...evidence} />
      ) : evidence.kind === 'dots' ? (
        <Dots {...evidence} />
      ) : (
        <Squares {...evidence} />
      )}
    </svg>
  );
}

type Of<K extends Evidence['kind']> = Extract<Evidence, { readonly kind: K }>;

function Series({ steps, values, marked }: Of<'series'>): JSX.Element {
  const first = steps[0] ?? 0;
  const width = (steps[steps.length - 1] ?? 0) - first || 1;
  const place = (step: number): number => (Math.min(1, Math.max(0, (step - first) / width)) * WIDTH) | 0;
  const [low, high] = extent(values);
  const scale = (HEIGHT - 6) / (high - low || 1);
  let path = '';
  let isDrawn = false;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? NaN;
    const isThere = Number.isFinite(value);
    if (isThere)
      path += `${isDrawn ? 'L' : 'M'}${place(steps[at] ?? 0)} ${(HEIGHT - 3 - (value - low) * scale).toFixed(1)}`;
    isDrawn = isThere;
  }
  const from = marked && place(marked[0]);
  return (
    <>
      {marked && from !== null && (
        <>
          <rect
            x={from}
            y="0"
            width={Math.max(0, place(marked[1]) - from)}
            height={HEIGHT}
            class="range"
            style={{ fill: WRONG, opacity: 0.07 }}
          />
          <line
            x1={from}
            x2={from}
            y1="0"
            y2={HEIGHT}
            class="mark"
            style={{ stroke: WRONG, strokeDasharray: '3 3', ...LINE }}
          />
        </>
      )}
      <path d={path} class="curve" style={{ fill: 'none', stroke: 'var(--accent)', ...LINE }} />
    </>
  );
}

/** The lowest and the highest number. */
function extent(values: ArrayLike<number>): readonly [number, number] {
  const finite = Array.from(values)
    .filter(Number.isFinite)
    .sort((one, other) => one - other);
  return [finite[0] ?? 0, finite[finite.length - 1] ?? 1];
}

function Share({ share, saved }: Of<'share'>): JSX.Element {
  return (
    <>
      <rect width={WIDTH} height="10" rx="2" class="rest" style={{ fill: 'var(--grid)' }} />
      <rect width={WIDTH * share} height="10" rx="2" class="part" style={{ fill: WRONG }} />
      {saved && (
        <rect
          width={WIDTH * saved[1]}
          y="13"
          height="5"
          rx="1"
          class="most"
          style={{ fill: 'var(--ok)', opacity: 0.45 }}
        />
      )}
      {saved && <rect width={WIDTH * saved[0]} y="13" height="5" rx="1" class="saved" style={{ fill: 'var(--ok)' }} />}
    </>
  );
}

function Dots({ dots }: Of<'dots'>): JSX.Element {
  const [low, high] = extent(dots.flatMap((dot) => [dot.low, dot.high]));
  const place = (value: number): number => HEIGHT - 5 - ((value - low) / (high - low || 1)) * (HEIGHT - 10);
  const apart = WIDTH / dots.length;
  return (
    <>
      {dots.map(({ mean, low: from, high: to }, at) => (
        <g key={at} class="dot">
          <line
            x1={(at + 0.5) * apart}
            x2={(at + 0.5) * apart}
            y1={place(from)}
            y2={place(to)}
            style={{ stroke: 'var(--border-strong)', ...LINE }}
          />
          <circle cx={(at + 0.5) * apart} cy={place(mean)} r="4" style={{ fill: 'var(--accent)' }} />
        </g>
      ))}
    </>
  );
}

const ACROSS = Math.floor((WIDTH + GAP) / (SQUARE + GAP));

function heightOf(runs: number): number {
  return Math.ceil(Math.min(runs, MOST) / ACROSS) * (SQUARE + GAP) - GAP;
}

/** A square for each run, or for several of them, if any of these is meant. */
function Squares({ meant }: Of<'runs'>): JSX.Element {
  const count = Math.min(meant.length, MOST);
  const hits = Array.from({ length: count }, (_, at) => {
    const part = meant.slice((at * meant.length) / count, ((at + 1) * meant.length) / count);
    return part.some(Boolean);
  });
  return (
    <>
      {hits.map((isMeant, at) => (
        <rect
          key={at}
          x={(at % ACROSS) * (SQUARE + GAP)}
          y={Math.floor(at / ACROSS) * (SQUARE + GAP)}
          width={SQUARE}
          height={SQUARE}
          rx="2"
          class={isMeant ? 'meant' : 'rest'}
          style={{ fill: isMeant ? WRONG : 'var(--grid)' }}
        />
      ))}
    </>
  );
}
