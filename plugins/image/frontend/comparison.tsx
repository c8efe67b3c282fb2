import { Button, Choice, Segments, Select, TagName, type CardKey } from '@insight-host/kit';
import { useTabWithin } from '@insight-host/kit/lab';
import { StepSlider, useSteps } from '@insight-host/kit/steps';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ImageParts } from './board';
import { GAINS, MODES } from './zooms';
import { Pair } from './pair';
import { Pane } from './pane';
import { ActualSize } from './toolbar';
import type { Pixel } from './viewport';

const MOST = 12; // runs side by side

interface ComparisonProps {
  readonly board: ImageParts;
  /** Its run is the first; its slider moves all. */
  readonly card: CardKey;
}

/** The same step of several runs: side by side, swiped over each other, or as their difference. */
export function Comparison({ board, card }: ComparisonProps): JSX.Element {
  const { t: say } = board.page;
  const root = useRef<HTMLElement>(null);
  const steps = useSteps(board, card);
  const pixel = useSignal<Pixel | null>(null);
  const waiting = useSignal(0);
  const { records, index } = steps;
  const step = records && index >= 0 ? (records.steps[index] ?? null) : null;
  const runs = board.tags.runsOf(card.tag).map((run) => run.name);
  const others = runs.filter((name) => name !== card.run);
  const partner = others.find((name) => name === board.comparing.partner.value) ?? others[0];
  const mode = partner === undefined ? 'side' : board.comparing.mode.value;
  const sides = [card.run ?? '', ...others].slice(0, MOST);
  useEffect(() => {
    board.cards.current.value = card;
    if (board.cards.full.value) board.cards.full.set(null);
  }, [card.tag, card.run]);
  useEffect(() => root.current?.focus(), []);
  useTabWithin(root, board.page.visible.value);
  const title = board.page.titleOf(card.tag);
  return (
    <section
      ref={root}
      class="comparison"
      tabIndex={-1}
      data-testid="comparison"
      data-mode={mode}
      aria-label={say('compare.title', { tag: title })}
    >
      <header>
        <h3 title={title}>
          <TagName title={title} />
        </h3>
        <Choice
          say={say}
          name="mode"
          label={say('compare.mode')}
          words="compare"
          values={MODES}
          setting={{ value: mode, set: board.comparing.mode.set }}
        />
        <RunChoice
          board={board}
          name="first"
          label={say('compare.first')}
          runs={runs}
          value={card.run ?? ''}
          onPick={(run) => board.comparing.wanted.set({ tag: card.tag, run })}
        />
        {mode !== 'side' && partner !== undefined && (
          <RunChoice
            board={board}
            name="second"
            label={say('compare.second')}
            runs={others}
            value={partner}
            onPick={(run) => board.comparing.partner.set(run)}
          />
        )}
        {mode === 'difference' && (
          <Segments
            name="gain"
            label={say('compare.gain')}
            value={board.comparing.gain.value}
            options={GAINS.map((value) => ({ value, text: `×${value}`, title: say('compare.gain') }))}
            onPick={(value) => board.comparing.gain.set(value)}
          />
        )}
        {mode === 'side' && others.length === 0 && <span class="count">{say('compare.alone')}</span>}
        {mode === 'side' && runs.length > MOST && (
          <span class="count" data-testid="compared-count">
            {say('compare.some', { shown: MOST, count: runs.length })}
          </span>
        )}
        <span class="spring" />
        <ActualSize board={board} card={card} />
        <Button
          action="compare-close"
          icon="close"
          label={say('compare.close')}
          onPress={() => board.comparing.wanted.set(null)}
        />
      </header>
      {mode === 'side' ? (
        <div class="panes" style={{ '--columns': columnsFor(sides.length) }}>
          {sides.map((run) => (
            <Pane
              key={run}
              board={board}
              card={{ tag: card.tag, run }}
              first={card}
              step={step}
              at={run === card.run ? index : null}
              pixel={pixel}
              waiting={waiting}
            />
          ))}
        </div>
      ) : (
        <Pair
          key={`${card.run} ${partner}`}
          board={board}
          first={card}
          second={{ tag: card.tag, run: partner ?? '' }}
          step={step}
          at={index}
          mode={mode}
          pixel={pixel}
          waiting={waiting}
        />
      )}
      <StepSlider board={board} card={card} steps={steps} busy={waiting.value > 0} />
    </section>
  );
}

function columnsFor(count: number): number {
  return count <= 3 ? Math.max(1, count) : Math.ceil(Math.sqrt(count));
}

interface RunChoiceProps {
  readonly board: ImageParts;
  readonly name: string;
  readonly label: string;
  readonly runs: readonly string[];
  readonly value: string;
  readonly onPick: (run: string) => void;
}

function RunChoice({ board, name, label, runs, value, onPick }: RunChoiceProps): JSX.Element {
  return (
    <label class="run-choice" title={label}>
      <i class="dot" style={{ background: board.page.runsByName.value.get(value)?.color ?? 'var(--faint)' }} />
      <Select
        name={name}
        label={label}
        value={value}
        options={runs.map((run) => ({ value: run, text: board.page.nameOf(run), title: run }))}
        onPick={onPick}
      />
    </label>
  );
}
