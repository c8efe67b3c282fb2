import {
  Button,
  bytesText,
  CardHead,
  cardId,
  problemOf,
  useCardAnswer,
  type CardAnswer,
  type CardKey,
  type ContentOfCard,
  type Place,
} from '@insight-host/kit';
import { recordNotes, StepSlider, useSteps, type Records } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { matchesOf, textsOf, type Matches, type TextParts, type Texts } from './board';
import { Body, DiffBody, plainOf } from './body';

/** The texts of one tag in one run. */
export function TextCard({ board, card, place }: ContentOfCard<TextParts>): JSX.Element {
  const steps = useSteps(board, card);
  const { records, index } = steps;
  const isDiff = board.view.value === 'diff';
  const shown = useTexts(board, card, place, records, index);
  const base = useBase(board, card, place, records, index, isDiff);
  const found = useMatches(board, card, place, records);
  const there = records !== null && index >= 0;
  const texts = shown.value;
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => board.height.fit(content.current?.offsetHeight ?? 0));
  return (
    <>
      <CardHead board={board} card={card} />
      <div
        class={shown.busy ? 'view busy' : 'view'}
        data-step={there ? records.steps[index] : undefined}
        tabIndex={0}
        role="group"
        aria-label={board.page.t('content')}
      >
        <div ref={content}>
          {problemOf(board.page, card, steps, isDiff && !shown.error ? base : shown) ??
            (!texts ? null : isDiff ? (
              <DiffBody
                board={board}
                before={base.none ? '' : base.value && plainOf(base.value)}
                after={plainOf(texts)}
                note={base.note}
              />
            ) : (
              <Body texts={texts} raw={board.view.value === 'raw'} search={board.search.value} />
            ))}
        </div>
      </div>
      <StepSlider board={board} card={card} steps={steps} busy={shown.busy} />
      <footer data-testid="card-status">
        <span class="counts">{there && countsOf(board, records, index)}</span>
        {found && <Found board={board} found={found} index={index} go={steps.move} />}
      </footer>
    </>
  );
}

function countsOf(board: TextParts, records: Records, index: number): string {
  const bytes = records.sizes[index] ?? -1;
  return [bytes >= 0 ? bytesText(bytes, board.page.locale.value) : '', ...recordNotes(board.page, records)]
    .filter((part) => part)
    .join(' · ');
}

/** The strings of the record at `index`; only this record is requested. */
function useTexts(
  board: TextParts,
  card: CardKey,
  place: Place,
  records: Records | null,
  index: number,
): CardAnswer<Texts> {
  const key =
    records && index >= 0
      ? `${cardId(card)} ${records.attempts} ${index} ${records.steps[index]} ${records.wallTimes[index]}`
      : null;
  return useCardAnswer(board, card, place, key, (signal) => textsOf(board, card, records as Records, index, signal));
}

interface Base extends CardAnswer<Texts> {
  /** Whether a text to compare with is missing. */
  readonly none: boolean;
  /** Names the text that it is compared with. */
  readonly note: string;
}

/** Finds the text that a diff compares with: the record before, or that of another run at the same step. */
function useBase(
  board: TextParts,
  card: CardKey,
  place: Place,
  records: Records | null,
  index: number,
  wanted: boolean,
): Base {
  const run = wanted ? board.base.value : null;
  const other: CardKey = { tag: card.tag, run: run ?? card.run };
  const has = board.tags.infoOf(other.run ?? '', other.tag) !== undefined;
  const table = useMemo(() => board.tables.of(other), [board, cardId(other)]);
  useEffect(() => (wanted && has ? board.tables.hold(other) : undefined), [board, cardId(other), wanted, has]);
  const theirs = has ? table.records.value : null;
  const step = records?.steps[index];
  const at = run === null ? index - 1 : (theirs?.steps.lastIndexOf(step ?? NaN) ?? -1);
  const shown = useTexts(board, other, place, wanted ? theirs : null, at);
  const none = at < 0 && (run === null || !has || theirs !== null);
  const name = board.page.nameOf(other.run ?? '');
  const note = none
    ? board.page.t(run === null ? 'diff.first' : 'diff.no_step', { run: name })
    : board.page.t(run === null ? 'diff.previous' : 'diff.run', { run: name, step: theirs?.steps[at] ?? NaN });
  return { ...shown, none, note };
}

/** The records of a card that match the search; null without a search, or until they are known. */
function useMatches(board: TextParts, card: CardKey, place: Place, records: Records | null): Matches | null {
  const text = board.search.value;
  const key = text && records ? `${records.attempts} ${records.points} ${text}` : null;
  const answer = useCardAnswer(board, card, place, key, (signal) =>
    matchesOf(board, card, (records as Records).attempts, text, signal),
  );
  return answer.isFresh ? answer.value : null;
}

interface FoundProps {
  readonly board: TextParts;
  readonly found: Matches;
  readonly index: number;
  readonly go: (index: number) => void;
}

/** How many records match, and the way to the next and the previous of them. */
function Found({ board, found: { matches, searched, records }, index, go }: FoundProps): JSX.Element {
  const before = matches.findLast((match) => match < index);
  const after = matches.find((match) => match > index);
  const title = searched < records ? board.page.t('search.some', { searched, records }) : board.page.t('search.all');
  return (
    <span class="found" data-testid="found">
      <span title={title}>
        {board.page.t('search.found', { count: matches.length })}
        {searched < records ? ' *' : ''}
      </span>
      <Button
        action="match-back"
        icon="previous"
        label={board.page.t('search.previous')}
        disabled={before === undefined}
        onPress={() => before !== undefined && go(before)}
      />
      <Button
        action="match-forward"
        icon="next"
        label={board.page.t('search.next')}
        disabled={after === undefined}
        onPress={() => after !== undefined && go(after)}
      />
    </span>
  );
}
