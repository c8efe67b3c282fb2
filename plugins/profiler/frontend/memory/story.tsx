/** The memory of each device in words: what failed, what the peak is made of, and how much is free in which pieces. */
import type { JSX } from 'preact';
import type { MemoryAnswer } from '../answers/memory';
import type { ProfilerParts } from '../board';
import { shortShare, sizeText, timeText } from '../units';
import { word } from '../words';

const MOST_PARTS = 4;
const LEAST_SHARE = 0.05;
const FREE = 0.1; // of what is reserved: less is not worth a sentence
const KEPT = ['parameter', 'optimiser']; // from the beginning to the end, in every training

type Holder = MemoryAnswer['holders'][number];

export interface StoryProps {
  readonly board: ProfilerParts;
  readonly answer: MemoryAnswer;
}

export function Story({ board, answer }: StoryProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  return (
    <section class="memory-story" data-testid="memory-story">
      {answer.holders.map((holder) => {
        const failed = answer.failures.filter(({ device }) => device === holder.device).at(-1);
        return (
          <div key={holder.device}>
            {failed && (
              <p class="failed">
                <strong>
                  {say('memory.story.failed', {
                    device: holder.device,
                    time: timeText(failed.at, locale),
                    wanted: sizeText(failed.wanted, locale),
                    free: sizeText(failed.free, locale),
                  })}
                </strong>{' '}
                <button
                  type="button"
                  class="tool text"
                  data-action="show-failure"
                  onClick={() => {
                    board.since.set(null);
                    board.moment.set(failed.at);
                  }}
                >
                  {say('memory.story.show')}
                </button>
              </p>
            )}
            <p>
              {[peakWords(board, holder), lineWords(board, holder), moduleWords(board, holder)]
                .filter(Boolean)
                .join(' ')}
            </p>
            <p>{freeWords(board, answer, holder.device)}</p>
          </div>
        );
      })}
    </section>
  );
}

function peakWords(board: ProfilerParts, { device, bytes, time, purposes }: Holder): string {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const parts = purposes
    .filter((one) => one.bytes >= LEAST_SHARE * bytes)
    .slice(0, MOST_PARTS)
    .map((one) =>
      say('memory.story.part', {
        purpose: one.purpose === '' ? say('memory.unknown') : word(board, 'purpose', one.purpose),
        share: shortShare(one.bytes / bytes, locale),
      }),
    );
  return say('memory.story.peak', {
    device,
    bytes: sizeText(bytes, locale),
    time: timeText(time, locale),
    parts: new Intl.ListFormat(locale, { type: 'conjunction', style: 'narrow' }).format(parts),
  });
}

/** The line that holds most of the peak besides parameters and their state, which every training keeps. */
function lineWords(board: ProfilerParts, { bytes, rows }: Holder): string {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const own = largest(rows, bytes, ({ name, purpose }) => (KEPT.includes(purpose) ? '' : name));
  const [name, held] = own ?? largest(rows, bytes, (row) => row.name) ?? [];
  if (name === undefined || held === undefined) return '';
  const purposes = new Set(rows.filter((row) => row.name === name).map(({ purpose }) => purpose));
  const [purpose = ''] = purposes.size === 1 ? purposes : [];
  const told = { name, share: shortShare(held / bytes, locale), bytes: sizeText(held, locale) };
  return purpose === ''
    ? say('memory.story.line', told)
    : say('memory.story.line.what', { ...told, purpose: word(board, 'purpose', purpose) });
}

function moduleWords(board: ProfilerParts, { bytes, rows }: Holder): string {
  const [name, held] = largest(rows, bytes, ({ module }) => module) ?? [];
  if (name === undefined || held === undefined) return '';
  return board.page.t('memory.story.modules', { name, share: shortShare(held / bytes, board.page.locale.value) });
}

function freeWords(board: ProfilerParts, { pools, failures }: MemoryAnswer, device: string): string {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const pool = pools.find((one) => one.device === device);
  if (!pool || pool.reserved === 0) return '';
  const free = pool.reserved - pool.allocated - pool.pending;
  if (free < FREE * pool.reserved) return '';
  const told = say('memory.story.free', {
    free: sizeText(free, locale),
    reserved: sizeText(pool.reserved, locale),
    blocks: pool.free_blocks.toLocaleString(locale),
    largest: sizeText(pool.largest_free, locale),
  });
  // before an allocation fails, the allocator gives segments without any block back
  const lost = free - pool.unused_segments;
  const isShort = failures.some(
    (one) =>
      one.device === device && lost >= one.wanted && one.wanted > pool.largest_free && lost >= FREE * pool.reserved,
  );
  return isShort ? `${told} ${say('memory.story.pieces')}` : told;
}

/** The key of which the rows hold most, and how much that is; null where it is little. */
function largest(
  rows: Holder['rows'],
  whole: number,
  keyOf: (row: Holder['rows'][number]) => string,
): readonly [key: string, bytes: number] | null {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key !== '') sums.set(key, (sums.get(key) ?? 0) + row.bytes);
  }
  const [first] = [...sums].sort(([, a], [, b]) => b - a);
  return first && first[1] >= LEAST_SHARE * whole ? first : null;
}
