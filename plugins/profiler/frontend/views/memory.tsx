import type { Line } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts, ViewProps } from '../board';
import type { MemoryAnswer, MemoryCurve, PlannedGraph } from '../answers/memory';
import { Curves } from '../figures/curves';
import { inkOf } from '../figures/ink';
import { Leaks, Snapshot } from '../memory/snapshot';
import { Story } from '../memory/story';
import { LocalTable } from '../table/local_table';
import { inUnit, sizeText, summandTexts, timeText, unitOf, unitSign } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';
import { word } from '../words';

const WIDTH = 1200;
const APART = 20; // times larger
const POWERS = [1, 1e3, 1e6, 1e9];
const SIGNS = ['B', 'kB', 'MB', 'GB'];

/** How much memory was taken when, by whom at the highest point, and the largest pieces. */
export default function Memory({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: profile } = board.profiles.profile;
  const hasStacks = (profile?.counts?.['stacks'] ?? 0) > 0;
  const devices = profile?.devices ?? [];
  const asked = useProfileAnswer<MemoryAnswer>(board, 'memory', { width: WIDTH });
  return (
    <div class="scroll">
      {hasStacks && <Leaks board={board} />}
      <Answered board={board} asked={asked}>
        {(answer) => {
          return (
            <>
              {hasStacks && <Story board={board} answer={answer} />}
              {alikeOf(answer.curves).map((curves) => {
                const [{ device = '', label: first = '' } = {}] = curves;
                const peaks = answer.peaks.filter(
                  (peak) => peak.device === device && curves.some(({ label }) => label === peak.label),
                );
                return (
                  <DeviceCurves
                    key={`${device}\n${first}`}
                    board={board}
                    device={device}
                    curves={curves}
                    marks={peaks.map(({ time, label, value }) => ({
                      time: time ?? 0,
                      text: `${label}: ${summandTexts(value, 0, locale)[0]}`,
                    }))}
                    busy={asked.busy}
                  />
                );
              })}
              {hasStacks &&
                devices.map(({ name }, device) => <Snapshot key={device} board={board} device={device} name={name} />)}
              {answer.graphs.map((graph, i) => (
                <Planned key={i} board={board} graph={graph} busy={asked.busy} />
              ))}
              <div class="pair tables">
                {answer.holders.map((holder) => (
                  <Holders key={`holders-${holder.device}`} board={board} holder={holder} />
                ))}
                {answer.largest.length > 0 && (
                  <LocalTable
                    board={board}
                    name="largest"
                    title={say('memory.largest')}
                    columns={{
                      name: 'text',
                      bytes: 'bytes',
                      module: 'text',
                      purpose: 'text',
                      shapes: 'text',
                      start: 'ns',
                      end: 'ns',
                      device: 'text',
                    }}
                    rows={answer.largest.map((row) => ({ ...row, purpose: purposeText(board, row.purpose) }))}
                    sort="-bytes"
                    widths={{ name: 230, module: 200, purpose: 110, shapes: 170, device: 100 }}
                  />
                )}
              </div>
            </>
          );
        }}
      </Answered>
    </div>
  );
}

/** The allocations at the peak of a device; the rows add up to the peak. */
function Holders({
  board,
  holder: { device, time, bytes, before, names, rows },
}: {
  readonly board: ProfilerParts;
  readonly holder: MemoryAnswer['holders'][number];
}): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const listed = rows.reduce((sum, row) => sum + row.bytes, 0);
  const rest = bytes - listed - (before ?? 0);
  const nobody = { module: '', purpose: '', count: null };
  const all = [
    ...rows.map((row) => ({
      ...row,
      purpose: purposeText(board, row.purpose),
      count: row.count as number | null,
    })),
    ...(rest > 0 ? [{ ...nobody, name: say('memory.rest', { count: names - rows.length }), bytes: rest }] : []),
    ...(before ? [{ ...nobody, name: say('memory.before'), bytes: before }] : []),
  ];
  const [whole, shown, earlier] = summandTexts(bytes, before ?? 0, locale);
  return (
    <LocalTable
      board={board}
      name="holders"
      title={say(before === null ? 'memory.holders.own' : 'memory.holders', {
        device: device || say('memory.device'),
        bytes: whole,
        time: timeText(time, locale),
      })}
      note={before ? say('memory.holders.sum', { shown, before: earlier, bytes: whole }) : ''}
      columns={{ name: 'text', bytes: 'bytes', share: 'share', module: 'text', purpose: 'text', count: 'count' }}
      widths={{ module: 260, purpose: 110, count: 80 }}
      rows={all.map((row) => ({ ...row, share: bytes > 0 ? row.bytes / bytes : null }))}
      sort="-bytes"
    />
  );
}

const purposeText = (board: ProfilerParts, purpose: string): string =>
  purpose === '' ? '' : word(board, 'purpose', purpose);

const highestOf = ({ maximum }: MemoryCurve): number => maximum.reduce((high, value) => Math.max(high, value), 0);

/**
 * Groups curves of one device by size: next to a pool of gigabytes the memory of a small net would be invisible.
 * What is always zero is left out, unless nothing else is there.
 */
export function alikeOf(all: readonly MemoryCurve[]): readonly (readonly MemoryCurve[])[] {
  const groups: MemoryCurve[][] = [];
  const taken = all.filter((curve) => highestOf(curve) > 0);
  const curves = taken.length > 0 ? taken : all;
  for (const device of new Set(curves.map((curve) => curve.device))) {
    let before = Infinity;
    for (const curve of curves.filter((one) => one.device === device).sort((a, b) => highestOf(b) - highestOf(a))) {
      const high = highestOf(curve);
      if (before === Infinity || before > high * APART) groups.push([]);
      groups.at(-1)?.push(curve);
      before = high;
    }
  }
  return groups.reverse();
}

/** Memory over the nodes of a graph in their order, and the tensors that hold it where that is most. */
function Planned({
  board,
  graph,
  busy,
}: {
  readonly board: ProfilerParts;
  readonly graph: PlannedGraph;
  readonly busy: boolean;
}): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const theme = board.page.theme.value;
  const name = String(graph.graph ?? '');
  const lines = useMemo(
    (): readonly Line[] => [
      {
        id: name,
        label: name,
        color: inkOf(theme).rank(0),
        x: graph.bytes.map((_, at) => at + 1),
        y: graph.bytes.map((bytes) => bytes / 1e6),
      },
    ],
    [graph, theme],
  );
  return (
    <>
      <Curves
        board={board}
        name={`planned-${name}`}
        title={say('memory.planned', { graph: name })}
        lines={lines}
        xLabel={say('memory.node')}
        yLabel="MB"
        busy={busy}
        xText={(x) => graph.nodes[x - 1] ?? String(x)}
        yText={(y) => sizeText(y * 1e6, locale)}
      />
      {graph.holders.length > 0 && (
        <LocalTable
          board={board}
          name={`planned-${name}`}
          title={say('memory.planned.holders', {
            bytes: sizeText(graph.peak_bytes ?? 0, locale),
            node: graph.peak_node ?? '',
          })}
          columns={{ name: 'text', bytes: 'bytes', type: 'text' }}
          rows={graph.holders.map(({ name: holder, bytes, type, data_type }) => ({
            name: holder,
            bytes,
            type: [type, data_type].filter(Boolean).join(' · '),
          }))}
          sort="-bytes"
        />
      )}
    </>
  );
}

interface DeviceCurvesProps {
  readonly board: ProfilerParts;
  readonly device: string;
  readonly curves: readonly MemoryCurve[];
  readonly marks: readonly { readonly time: number; readonly text: string }[];
  readonly busy: boolean;
}

function DeviceCurves({ board, device, curves, marks, busy }: DeviceCurvesProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const theme = board.page.theme.value;
  const last = curves.reduce((most, { time }) => Math.max(most, time.at(-1) ?? 0), 0);
  const unit = unitOf(last);
  const isBytes = curves.every((curve) => curve.unit === 'bytes');
  const highest = curves.reduce((most, curve) => Math.max(most, highestOf(curve)), 0);
  const power = isBytes ? POWERS.reduce((best, one, i) => (highest >= one ? i : best), 0) : 0;
  const size = POWERS[power] ?? 1;
  const sign = isBytes ? (SIGNS[power] ?? 'B') : (curves[0]?.unit ?? '');
  const lines = useMemo((): readonly Line[] => {
    const ink = inkOf(theme);
    return curves.map((curve, i): Line => {
      // Memory stays as it is until it is taken or freed. A column of a reduced curve is drawn from its lowest
      // to its highest point, and ends at its last.
      const [x, y]: [number[], number[]] = [[], []];
      curve.time.forEach((time, at) => {
        if (at > 0) {
          x.push(inUnit(time, unit));
          y.push((curve.last[at - 1] ?? 0) / size);
        }
        for (const value of new Set([curve.minimum[at] ?? 0, curve.maximum[at] ?? 0, curve.last[at] ?? 0])) {
          x.push(inUnit(time, unit));
          y.push(value / size);
        }
      });
      return { id: curve.label, label: curve.label, color: ink.rank(i), x, y };
    });
  }, [curves, theme, unit, size]);
  const shown = useMemo(
    () => marks.map(({ time, text }) => ({ x: inUnit(time, unit), color: inkOf(theme).muted, text })),
    [marks.map(({ time }) => time).join(), unit, theme],
  );
  return (
    <Curves
      board={board}
      name={`memory-${device || 'all'}-${curves[0]?.label ?? ''}`}
      title={say('memory.curve', { device: device || say('memory.device'), unit: sign })}
      lines={lines}
      xLabel={say('memory.time', { unit: unitSign(unit) })}
      yLabel={sign}
      busy={busy}
      marks={shown}
      xText={(x) => `${x.toLocaleString(locale, { maximumFractionDigits: 3 })} ${unitSign(unit)}`}
      yText={(y) => `${y.toLocaleString(locale, { maximumFractionDigits: 3 })} ${sign}`}
    />
  );
}
