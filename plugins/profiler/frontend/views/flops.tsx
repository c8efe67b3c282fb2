import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts, ViewProps } from '../board';
import type { RooflineAnswer } from '../answers/roofline';
import { Roofline, UseOfPeak } from '../roofline';
import type { FlopsAnswer, FlopsRates, FlopsRow } from '../answers/operators';
import type { Unit } from '../answers/table';
import { Drawing, shortened, type TipText, useParts } from '../figures/drawing';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { type FlowLink, NODE_WIDTH, ribbon, sankeyOf } from '../figures/sankey_layout';
import { powerText, shareText } from '../units';
import { LocalTable } from '../table/local_table';
import { Answered, useProfileAnswer } from '../use_answer';

const [LABELS, HEIGHT] = [170, 420];

/** How well a step uses the device, operators below its ceilings, and which modules the operations are of. */
export default function Flops({ board }: ViewProps): JSX.Element {
  const asked = useProfileAnswer<FlopsAnswer>(board, 'flops');
  const roofline = useProfileAnswer<RooflineAnswer>(board, 'roofline', {
    ceilings: board.ceilingsQuery.value,
    measured: board.measured.value || null,
  });
  const { value: against } = roofline;
  return (
    <div class="scroll">
      <div class="key-figures">
        {against && <UseOfPeak board={board} answer={against} />}
        {asked.value?.summary && (
          <Rates board={board} summary={asked.value.summary} isCounted={Boolean(against?.utilization)} />
        )}
      </div>
      <Answered board={board} asked={roofline}>
        {(answer) =>
          answer.rows.length > 0 ? (
            <Roofline board={board} answer={answer} busy={roofline.busy} />
          ) : (
            <>
              {answer.missing && (
                <Figure board={board} name="roofline" title={board.page.t('roofline.title')} content="table">
                  <p class="hint" data-testid="no-operations">
                    {board.page.t(`roofline.missing.${answer.missing}`)}
                  </p>
                </Figure>
              )}
            </>
          )
        }
      </Answered>
      <Answered board={board} asked={asked}>
        {(answer) => <Modules board={board} answer={answer} busy={asked.busy} />}
      </Answered>
    </div>
  );
}

interface ModulesProps {
  readonly board: ProfilerParts;
  readonly answer: FlopsAnswer;
  readonly busy: boolean;
}

function Modules({ board, answer, busy }: ModulesProps): JSX.Element {
  const links = (answer.links ?? []).flatMap(({ source, target, flops }): FlowLink[] =>
    flops === null ? [] : [{ source, target, value: flops }],
  );
  return (
    <>
      {new Set(links.map(({ source }) => source)).size > 1 && <Scopes board={board} links={links} busy={busy} />}
      <FlopsTable board={board} answer={answer} />
    </>
  );
}

/** Modules, with the share of the peak of the device that they reach. */
function FlopsTable({ board, answer }: Pick<ModulesProps, 'board' | 'answer'>): JSX.Element | null {
  const { t: say } = board.page;
  const rows = answer.modules;
  if (rows.length === 0 || (rows.length === 1 && rows[0]?.name === '')) return null;
  const whole = rows.reduce((sum, { flops }) => sum + flops, 0);
  const columns: Readonly<Record<string, Unit>> = {
    name: 'text',
    flops: 'flops',
    share: 'share',
    time: 'ns',
    rate: 'rate',
    ...(answer.device === null ? {} : { peak: 'share', precision: 'text' }),
    calls: 'count',
  };
  return (
    <LocalTable
      board={board}
      name="flops-modules"
      title={say('flops.modules')}
      note={answer.device === null ? '' : say('flops.peak', { device: answer.device })}
      columns={columns}
      widths={{ flops: 120, rate: 130, precision: 240 }}
      rows={rows.map((row) => ({
        ...row,
        name: row.name || say('flops.no_module'),
        share: row.flops / whole,
        precision: peakText(row, board),
      }))}
      sort="-flops"
    />
  );
}

/** Of which peak a share is, or that the rate is above it. */
function peakText({ precision, above }: FlopsRow, { page: { t: say, locale } }: ProfilerParts): string {
  if (precision === null) return '';
  const type = say(`flops.precision.${precision}`);
  return above === null ? type : say('flops.above_peak', { type, share: shareText(above, locale.value) });
}

function Rates({
  board,
  summary,
  isCounted,
}: {
  readonly board: ProfilerParts;
  /** Whether another figure says the operations of a step. */
  readonly isCounted: boolean;
  readonly summary: NonNullable<FlopsAnswer['summary']>;
}): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const groups: (readonly [string, FlopsRates | undefined])[] = [
    ['', summary],
    ['cube', summary.cube],
    ['vector', summary.vector],
  ];
  return (
    <>
      {groups.flatMap(([group, rates]) =>
        (['flops', 'flops_per_second', 'utilization', 'above'] as const).flatMap((name) => {
          const value = rates?.[name];
          if (value === null || value === undefined || (isCounted && name === 'flops')) return [];
          const text =
            name === 'utilization' || name === 'above'
              ? shareText(value, locale)
              : powerText(value, name === 'flops' ? 'FLOP' : 'FLOP/s', locale);
          return (
            <div key={`${group}${name}`} class="key-figure" data-fact={`${group}${name}`}>
              <span class="label">{`${say(`flops.${name}`)}${group ? ` (${say(`flops.${group}`)})` : ''}`}</span>
              <span class="value">{text}</span>
            </div>
          );
        }),
      )}
    </>
  );
}

interface ScopesProps {
  readonly board: ProfilerParts;
  readonly links: readonly FlowLink[];
  readonly busy: boolean;
}

/** From the whole net into its scopes, as wide as the operations they have. */
function Scopes({ board, links, busy }: ScopesProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const parts = useParts(1000);
  const { width } = parts;
  const ink = inkOf(board.page.theme.value);
  const {
    nodes,
    links: placed,
    height,
  } = useMemo(() => sankeyOf(links, width, HEIGHT, LABELS), [links.length, links[0], width]);
  const deepest = nodes.reduce((most, node) => Math.max(most, node.depth), 0);
  const room = deepest > 0 ? (width - NODE_WIDTH - LABELS) / deepest - NODE_WIDTH - 16 : LABELS;
  const text = (value: number): string => powerText(value, 'FLOP', locale);
  const tipOf = (title: string, value: number): TipText => ({ title, lines: [['FLOPs', text(value)]] });
  const at = parts.at.value === null ? null : nodes[parts.at.value];
  return (
    <Figure
      board={board}
      name="flops"
      title={say('flops.scopes')}
      hint={say('flops.scopes.hint')}
      busy={busy}
      data={() => ({
        head: ['source', 'target', 'flops'],
        rows: links.map(({ source, target, value }) => [source, target, value]),
      })}
    >
      <Drawing
        parts={parts}
        count={nodes.length}
        height={height + 8}
        label={say('flops.scopes')}
        tip={(i) => tipOf(nodes[i]?.name ?? '', nodes[i]?.value ?? 0)}
        middle={(i) => [(nodes[i]?.x ?? 0) + NODE_WIDTH, (nodes[i]?.y ?? 0) + (nodes[i]?.height ?? 0) / 2]}
      >
        {(part) => (
          <g transform="translate(0 4)">
            {placed.map((link) => {
              const { source, target, value } = link;
              const lit = at && (at.name === source || at.name === target);
              return (
                <path
                  key={`${source}\n${target}`}
                  data-testid="ribbon"
                  d={ribbon(link)}
                  fill={lit ? ink.accent : ink.other}
                  fill-opacity={lit ? 0.55 : 0.4}
                  onPointerMove={({ clientX: x, clientY: y }) =>
                    (parts.tip.value = { x, y, ...tipOf(`${source} → ${target}`, value) })
                  }
                />
              );
            })}
            {nodes.map((node, i) => (
              <g key={node.name} {...part(i)} data-node={node.name}>
                <rect
                  x={node.x}
                  y={node.y}
                  width={NODE_WIDTH}
                  height={node.height}
                  rx={2}
                  fill={ink.rank(node.depth)}
                />
                <text x={node.x + NODE_WIDTH + 5} y={node.y + node.height / 2 + 4} fill={ink.text}>
                  <title>{`${node.name}: ${text(node.value)}`}</title>
                  {shortened(
                    node.name.split('/').at(-1) ?? node.name,
                    node.depth === deepest ? LABELS - 8 : Math.min(LABELS, room),
                  )}
                </text>
              </g>
            ))}
          </g>
        )}
      </Drawing>
    </Figure>
  );
}
