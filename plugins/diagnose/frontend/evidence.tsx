/** The evidence of an entry as a picture: asked for when the entry is on the screen. */
import type { Page } from '@insight-host/kit';
import { EvidencePicture, type Evidence } from '@insight-host/kit/table';
import { useAnswer } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Finding } from './answer';
import { evidenceOf, seenIn, type Entry } from './entries';
import type { FindingsBoard } from './findings';

const SCALAR = 'scalar'; // the tab of the scalars: of other series there is no curve
const WIDTH = 140; // points of a curve
const MARGIN = '200px'; // around the screen

/** The route `series` of the tab that has the scalars. */
interface Curves {
  readonly series: readonly { readonly steps: readonly number[]; readonly values: readonly (number | null)[] }[];
}

export function Picture({ board, entry }: { readonly board: FindingsBoard; readonly entry: Entry }): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const host = useRef<HTMLDivElement>(null);
  const isNear = useNear(host);
  const of = seenIn(entry);
  const known = evidenceOf(entry, checkedOf(board, entry));
  const curve = useCurve(page, of, isNear && known === null);
  const dots = useDots(page, entry.head, isNear && known === null);
  const evidence = known ?? curve ?? dots?.evidence ?? null;
  return (
    <div ref={host} class="picture">
      {evidence && (
        <figure>
          <figcaption>{dots?.caption ?? captionOf(board, entry, evidence)}</figcaption>
          <EvidencePicture evidence={evidence} label={say(`picture.${evidence.kind}`)} />
        </figure>
      )}
    </div>
  );
}

/** How many runs the rule of an entry has checked: at least those that it is about. */
const checkedOf = ({ checkedBy }: FindingsBoard, entry: Entry): number =>
  Math.max(checkedBy(entry), entry.head.runs.length);

function captionOf(board: FindingsBoard, entry: Entry, { kind }: Evidence): string {
  const { page } = board;
  const { t: say } = page;
  if (kind === 'series') return page.titleOf(seenIn(entry).place.tag);
  if (kind === 'share') return say(entry.head.saves ? 'picture.saves' : 'picture.share');
  const names = [...new Set(entry.head.shared.flatMap(({ columns }) => columns))];
  const count = say('picture.count', { count: entry.head.runs.length, of: checkedOf(board, entry) });
  return names.length > 0 ? `${count} · ${names.join(', ')}` : count;
}

/** The series that a finding names; null until it is there, and where it names none that is a curve. */
function useCurve(page: Page, { runs, place }: Finding, isWanted: boolean): Evidence | null {
  const [run] = runs;
  const { plugin, tag, steps } = place;
  const { value: isVisible } = page.visible;
  const answer = useAnswer(
    `${plugin}\n${run}\n${tag}`,
    (signal) => page.ctx.ask<Curves>(plugin, 'series', { run, tag, width: WIDTH, format: 'json' }, { signal }),
    { visible: isVisible && isWanted && plugin === SCALAR && run !== undefined && tag !== '' && steps !== null },
  );
  const series = answer.value?.series?.[0];
  if (!series || !Array.isArray(series.values) || series.steps.length < 2) return null;
  return { kind: 'series', steps: series.steps, values: series.values.map((one) => one ?? NaN), marked: steps };
}

/** The route `importance` of a tab with the run table. */
interface Importance {
  readonly parameters: readonly {
    readonly title: string;
    readonly sure: boolean;
    readonly curve: readonly { readonly mean: number; readonly low: number; readonly high: number }[];
  }[];
}

/** What the metric that a finding names (`target` in the state of its place) is by its first sure hyperparameter. */
function useDots(
  page: Page,
  { place }: Finding,
  isWanted: boolean,
): { readonly evidence: Evidence; readonly caption: string } | null {
  const { value: isVisible } = page.visible;
  const { plugin, tag, state } = place;
  const { shown, all } = page.ctx.runs;
  const run = shown.value.length < all.value.length ? shown.value.map(({ name }) => name) : [];
  const { target } = state;
  const answer = useAnswer(
    [plugin, target, ...run].join('\n'),
    (signal) => page.ctx.ask<Importance>(plugin, 'importance', { target, run }, { signal }),
    { visible: isVisible && isWanted && tag === '' && target !== undefined },
  );
  const first = answer.value?.parameters?.find(({ sure }) => sure);
  if (!first || first.curve.length < 2) return null;
  return { evidence: { kind: 'dots', dots: first.curve }, caption: page.t('picture.by', { name: first.title }) };
}

/** Whether an element is on the screen, or was. */
function useNear(place: { readonly current: HTMLElement | null }): boolean {
  const isNear = useSignal(false);
  useEffect(() => {
    const seen = new IntersectionObserver(
      (found) => {
        if (!found.some(({ isIntersecting }) => isIntersecting)) return;
        isNear.value = true;
        seen.disconnect();
      },
      { rootMargin: MARGIN },
    );
    if (place.current) seen.observe(place.current);
    return () => seen.disconnect();
  }, []);
  return isNear.value;
}
