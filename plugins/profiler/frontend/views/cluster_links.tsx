/** Who sends how much to whom: a matrix of ranks, and the links that are slow. */
import { Choice, Icon } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { RankLinksAnswer } from '../answers/cluster';
import { Figure } from '../figures/figure';
import { HeatMap } from '../figures/heat_map';
import type { Cells } from '../figures/heat_map_cells';
import { inkOf } from '../figures/ink';
import { LINK_MEASURES, type LinkMeasure } from '../settings';
import { MISSING, shareText, sizeText, timeText } from '../units';
import { useAnswer } from '../use_answer';
import { rankRows } from '../rank_rows';
import type { ArrivingRanksProps } from './cluster_ranks';

const COLORS = { bandwidth: 'memcpy', elapsed: 'communication', bytes: 'operator' } as const;
const MOST_SLOW = 10; // links that are named
const CELL = 96; // px across: a matrix of few ranks need not fill the page

/** Links of the steps that are chosen; a press opens the links of the sending rank. */
export function RankLinks({ board, ranks, unread }: ArrivingRanksProps): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const query = { ...board.profiles.query.value, steps: board.stepsQuery.value };
  const {
    value: answer,
    error,
    busy,
  } = useAnswer<RankLinksAnswer>(
    board,
    JSON.stringify([query, ranks.length, board.profiles.profile.value?.version]),
    (signal) => board.page.ctx.data.json<RankLinksAnswer>('rank_links', query, { signal }),
  );
  const measure = board.linkMeasure.value;
  const total = ranks.length + unread;
  const matrix = useMemo(
    () => (answer && answer.source.length > 0 ? matrixOf(answer, measure, total - answer.ranks.length) : null),
    [answer, measure, total],
  );
  if (error !== null)
    return (
      <p class="problem" role="status">
        {error}
      </p>
    );
  if (!answer) return null;
  const text = (value: number): string =>
    measure === 'elapsed'
      ? timeText(value, locale)
      : measure === 'bytes'
        ? sizeText(value, locale)
        : `${sizeText(value, locale)}/s`;
  const rateText = (value: number | null): string => (value === null ? MISSING : `${sizeText(value, locale)}/s`);
  return (
    <Figure
      board={board}
      name="rank-links"
      title={say('rank_links.title')}
      hint={say('rank_links.hint')}
      content="chart"
      busy={busy}
      tools={
        matrix && (
          <Choice
            say={say}
            name="rank-links-measure"
            label={say('rank_map.measure')}
            words="rank_links"
            values={LINK_MEASURES}
            setting={{ value: measure, set: board.linkMeasure.set }}
            how="push"
          />
        )
      }
      {...(matrix && {
        data: () => ({
          head: ['source', 'target', 'kind', 'elapsed_ns', 'bytes', 'bytes_per_second'],
          rows: answer.source.map((source, i) => [
            source,
            answer.target[i] ?? null,
            answer.kinds[answer.kind[i] ?? -1] ?? '',
            answer.elapsed[i] ?? null,
            answer.bytes[i] ?? null,
            answer.bandwidth[i] ?? null,
          ]),
        }),
      })}
    >
      {matrix === null ? (
        <p class="hint">{say('rank_links.none')}</p>
      ) : (
        <>
          <ul class="slow-links">
            {answer.slow.slice(0, MOST_SLOW).map(({ source, target, kind, bandwidth, usual }) => (
              <li key={`${source}-${target}-${kind}`} data-slow-link={`${source}-${target}`}>
                <Icon name="warn" />
                <span>
                  {say('rank_links.slow', {
                    source,
                    target,
                    kind,
                    bandwidth: rateText(bandwidth),
                    share: shareText(bandwidth / usual, locale),
                    usual: rateText(usual),
                  })}
                </span>
              </li>
            ))}
            {answer.slow.length > MOST_SLOW && (
              <li>{say('rank_links.slow.more', { count: answer.slow.length - MOST_SLOW })}</li>
            )}
          </ul>
          {answer.count > answer.source.length && (
            <p class="hint">{say('rank_links.some', { shown: answer.source.length, count: answer.count })}</p>
          )}
          <HeatMap
            board={board}
            label={say('rank_links.label', { count: answer.count, name: say(`rank_links.${measure}`) })}
            cells={matrix.cells}
            rowLabels={matrix.ends.map(String)}
            columnLabels={matrix.ends.map(String)}
            rowTitle={say('rank_links.source')}
            columnTitle={say('rank_links.target')}
            color={ink.category(COLORS[measure])}
            cellWidth={CELL}
            marked={answer.slow.map(({ source, target }) => [matrix.ends.indexOf(source), matrix.ends.indexOf(target)])}
            text={text}
            tip={(row, column) => ({
              title: `${matrix.ends[row]} → ${matrix.ends[column]}`,
              lines: linesOf(matrix.links.get(row * matrix.ends.length + column) ?? [], answer, say, {
                time: (value) => timeText(value, locale),
                size: (value) => sizeText(value, locale),
                rate: rateText,
              }),
            })}
            onPress={(row) => {
              const { value: profile } = board.profiles.profile;
              const to = answer.ranks.find(({ rank }) => rank === matrix.ends[row]);
              if (profile && to) board.navigation.openLinks({ run: profile.run, profile: to.profile });
            }}
          />
        </>
      )}
    </Figure>
  );
}

interface Matrix {
  /** Ranks in their order, for rows and columns. */
  readonly ends: readonly number[];
  readonly cells: Cells;
  /** Places in the answer by cell: one for each kind of transport. */
  readonly links: ReadonlyMap<number, readonly number[]>;
}

function matrixOf(answer: RankLinksAnswer, measure: LinkMeasure, unread: number): Matrix {
  const rows = rankRows(
    answer.ranks.map(({ rank }) => rank),
    unread,
  ).filter((rank) => rank !== null);
  const ends = [...new Set([...rows, ...answer.source, ...answer.target])].sort((a, b) => a - b);
  const places = new Map(ends.map((rank, place) => [rank, place] as const));
  const links = new Map<number, number[]>();
  answer.source.forEach((source, i) => {
    const cell = (places.get(source) ?? 0) * ends.length + (places.get(answer.target[i] as number) ?? 0);
    const known = links.get(cell);
    if (known) known.push(i);
    else links.set(cell, [i]);
  });
  const values = new Float64Array(ends.length ** 2).fill(NaN);
  for (const [cell, rows] of links) {
    const sum = (column: readonly number[]): number => rows.reduce((all, row) => all + (column[row] ?? 0), 0);
    const elapsed = sum(answer.elapsed);
    values[cell] =
      measure === 'elapsed'
        ? elapsed
        : measure === 'bytes'
          ? sum(answer.bytes)
          : elapsed > 0
            ? (sum(answer.bytes) / elapsed) * 1e9
            : NaN;
  }
  const worst = measure === 'bandwidth' ? 'smallest' : 'largest';
  return { ends, cells: { rows: ends.length, columns: ends.length, values, worst }, links };
}

interface Texts {
  readonly time: (ns: number) => string;
  readonly size: (bytes: number) => string;
  readonly rate: (value: number | null) => string;
}

function linesOf(
  rows: readonly number[],
  answer: RankLinksAnswer,
  say: (key: string) => string,
  texts: Texts,
): readonly (readonly [string, string])[] {
  if (rows.length === 0) return [[say('rank_links.bytes'), MISSING]];
  return rows.flatMap((row): (readonly [string, string])[] => {
    const kind = answer.kinds[answer.kind[row] ?? -1] ?? '';
    const named = (key: string): string => [kind, say(`rank_links.${key}`)].filter(Boolean).join(' · ');
    return [
      [named('bandwidth'), texts.rate(answer.bandwidth[row] ?? null)],
      [named('elapsed'), texts.time(answer.elapsed[row] ?? 0)],
      [named('bytes'), texts.size(answer.bytes[row] ?? 0)],
    ];
  });
}
