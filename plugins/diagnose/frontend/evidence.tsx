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
  const known = evidenceOf(
    entry,
    page.ctx.runs.shown.value.map(({ name }) => name),
  );
  const curve = useCurve(page, of, isNear && known === null);
  const evidence = known ?? curve;
  return (
    <div ref={host} class="picture">
      {evidence && (
        <figure>
          <figcaption>{captionOf(board, entry, evidence)}</figcaption>
          <EvidencePicture evidence={evidence} label={say(`picture.${evidence.kind}`)} />
        </figure>
      )}
    </div>
  );
}

function captionOf({ page, checkedBy }: FindingsBoard, entry: Entry, { kind }: Evidence): string {
  const { t: say } = page;
  if (kind === 'series') return page.titleOf(seenIn(entry).place.tag);
  if (kind === 'share') return say(entry.head.saves ? 'picture.saves' : 'picture.share');
  const names = [...new Set(entry.head.shared.flatMap(({ columns }) => columns))];
  const { length } = entry.head.runs;
  const count = say('picture.count', { count: length, of: Math.max(checkedBy(entry), length) });
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
