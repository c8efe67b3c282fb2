import { Button, Icon } from 'insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerBoard } from './board';
import { stepsText } from './steps';
import { profileName, rankText, word } from './words';

/** Which profile, with what it is compared, which steps count. */
export function Toolbar({ board }: { readonly board: ProfilerBoard }): JSX.Element {
  const say = board.t.bind(board);
  const { value: chosen } = board.chosenInfo;
  const { value: profile } = board.profile;
  const { value: steps } = board.steps;
  const run = chosen && board.runsByName.value.get(chosen.run);
  const notes = profile?.notes.length ?? 0;
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <button type="button" class="pick" data-action="pick-profile" aria-haspopup="dialog" aria-label={say('picker.label')} title={chosen ? `${chosen.run}\n${chosen.profile}` : say('picker.label')} onClick={() => (board.dialog.value = 'profile')}>
        <span class="dot" style={{ background: run?.color ?? 'transparent' }} />
        <span class="run">{run?.displayName ?? chosen?.run ?? ''}</span>
        <span class="name">{chosen ? profileName(chosen) : say('picker.title')}</span>
        <Icon name="open" />
      </button>
      {chosen && (
        <span class="about" data-testid="about">
          {[word(board, 'source', chosen.source), rankText(board, chosen.rank ?? profile?.rank), profile?.host].filter(Boolean).join(' · ')}
        </span>
      )}
      {board.views.value.includes('compare') && <Button action="compare" icon="compare" text={say('compare.short')} label={say('compare.pick')} onPress={() => (board.dialog.value = 'base')} />}
      {steps && <Button action="clear-steps" icon="close" text={say(steps.first === steps.last ? 'steps.one' : 'steps.range', { steps: stepsText(steps) })} label={say('steps.clear')} onPress={() => board.steps.set(null)} />}
      {notes > 0 && (
        <button type="button" class="tool text warning" data-action="notes" title={say('notes.title')} onClick={() => (board.dialog.value = 'notes')}>
          <Icon name="warn" />
          {say('notes', { count: notes })}
        </button>
      )}
    </div>
  );
}
