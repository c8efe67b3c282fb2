import { useSignal } from '@preact/signals';
import { Button, Icon, ToolbarLine } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from './board';
import { stepsCodec, stepsText } from './address';
import { Suggested } from './suggested';
import { profileName, rankText, word } from './words';

const MANY = 20; // profiles of a run that are faster searched than read

/** Which profile it is, with what it is compared, which steps count. */
export function Toolbar({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const { t: say } = board.page;
  const { value: chosen } = board.profiles.chosenInfo;
  const { value: profile } = board.profiles.profile;
  const { value: steps } = board.steps;
  const notes = profile?.notes.length ?? 0;
  const about = chosen && (
    <span
      class="about"
      data-testid="about"
      title={`${chosen.run}\n${chosen.profile}\n${word(board, 'source', chosen.source)}`}
    >
      <strong>{board.page.nameOf(chosen.run)}</strong>{' '}
      {[profileName(chosen), rankText(board, chosen.rank ?? profile?.rank)].filter(Boolean).join(' · ')}
    </span>
  );
  const tools = (
    <>
      {board.profiles.own.value.length > MANY && (
        <Button
          action="pick-profile"
          icon="search"
          label={board.page.t('picker.label')}
          onPress={() => (board.dialog.value = 'profile')}
        />
      )}
      <Suggested board={board} />
      {board.navigation.views.value.includes('compare') && (
        <Button
          action="compare"
          icon="compare"
          label={say('compare.pick')}
          onPress={() => (board.dialog.value = 'base')}
        />
      )}
      {(board.navigation.views.value.includes('steps') || steps !== null) && <StepFilter board={board} />}
      {notes > 0 && (
        <button
          type="button"
          class="tool text warning"
          data-action="notes"
          title={say('notes.title')}
          onClick={() => (board.dialog.value = 'notes')}
        >
          <Icon name="warn" />
          {say('notes', { count: notes })}
        </button>
      )}
    </>
  );
  return <ToolbarLine say={say} first={about} tools={tools} />;
}

/** Which steps count, in every view. */
function StepFilter({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const { t: say } = board.page;
  const { value: steps } = board.steps;
  const wrong = useSignal(false);
  const text = steps ? stepsText(steps) : '';
  return (
    <span class="step-filter">
      <label title={say('steps.filter.hint')}>
        <input
          type="text"
          class={wrong.value ? 'bad' : ''}
          data-control="steps"
          aria-invalid={wrong.value}
          placeholder={say('steps.filter.all')}
          aria-label={say('steps.filter')}
          size={7}
          value={text}
          onChange={({ currentTarget: field }) => {
            const typed = field.value.replace(/\s/g, '');
            const range = stepsCodec.parse(typed);
            wrong.value = typed !== '' && range === null;
            if (!wrong.value) board.steps.set(range, 'push');
          }}
          onBlur={({ currentTarget: field }) => {
            if (wrong.value) field.value = text;
            wrong.value = false;
          }}
        />
      </label>
      {steps && !board.navigation.followsSteps.value && (
        <span class="count" role="status" data-testid="all-steps">
          {say('steps.not_here')}
        </span>
      )}
      {steps && (
        <Button action="clear-steps" icon="close" label={say('steps.clear')} onPress={() => board.steps.set(null)} />
      )}
    </span>
  );
}
