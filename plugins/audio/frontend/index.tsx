import {
  AttemptsChoice,
  boardKeys,
  Button,
  CardHead,
  cardStyles,
  Download,
  Frame,
  NumberBox,
  onCard,
  problemOf,
  tab,
  Toggle,
  useCardAnswer,
  type ContentOfCard,
} from '@insight-host/kit';
import {
  LinkSteps,
  recordNotes,
  stepKeys,
  stepMessages,
  StepSlider,
  stepStyles,
  TimeChoice,
  useSteps,
} from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import en from '../insight_audio/locales/en.json';
import zh from '../insight_audio/locales/zh-CN.json';
import styles from './audio.css?inline';
import { audioParts, queryOf, toggleSound, urlOf, type AudioParts } from './board';
import { clipOf, clockText, Picture } from './clip';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: audioParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['p', 'play', onCard(board, (card) => toggleSound(board, card))],
    ['l', 'loop', () => board.loop.set(!board.loop.value)],
  ],
});

function App({ board }: { readonly board: AudioParts }): JSX.Element {
  const { t: say } = board.page;
  const tools = (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      <Toggle action="loop" icon="reset" text={say('loop')} label={say('loop.hint')} setting={board.loop} />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
  return (
    <Frame
      board={board}
      name="sounds"
      tools={tools}
      card={(card, place) => <AudioCard board={board} card={card} place={place} />}
    />
  );
}

/** The sounds of one tag in one run. */
function AudioCard({ board, card, place }: ContentOfCard<AudioParts>): JSX.Element {
  const { t: say } = board.page;
  const steps = useSteps(board, card);
  const { records, index } = steps;
  const there = records !== null && index >= 0;
  const query = there ? queryOf(board, card, records, index) : null;
  const key = query && JSON.stringify(query);
  const answer = useCardAnswer(board, card, place, key, async (signal) =>
    clipOf(await board.page.ctx.data.columns('picture', query ?? {}, { signal })),
  );
  const { value: clip, error, busy } = answer;
  const url = there ? urlOf(board, card, records, index) : null;
  useEffect(() => (url === null ? undefined : () => board.player.leave(url)), [url]);
  const mine = url !== null && board.player.url.value === url;
  const playing = mine && board.player.playing.value;
  return (
    <>
      <CardHead board={board} card={card}>
        {url && <Download label={say('download')} href={url} />}
      </CardHead>
      <div class={busy ? 'view busy' : 'view'} data-step={there ? records.steps[index] : undefined}>
        {problemOf(board.page, card, steps, answer) ?? (clip && url && <Picture board={board} clip={clip} url={url} />)}
      </div>
      <div class="sound">
        <Button
          action="sound"
          icon={playing ? 'pause' : 'play'}
          label={say(playing ? 'pause' : 'play')}
          pressed={playing}
          disabled={!clip || error !== null}
          onPress={() => url && board.player.toggle(url)}
        />
        <span class="at" data-testid="sound-time">
          {clip && !error && `${clockText(mine ? board.player.time.value : 0)} / ${clockText(clip.seconds)}`}
        </span>
        {mine && board.player.failed.value && <span role="alert">{say('play.failed')}</span>}
        {clip && clip.clips > 1 && (
          <label>
            {say('clip')}{' '}
            <NumberBox
              name="clip"
              label={say('clip.hint', { last: clip.clips - 1 })}
              value={board.clips.of(card) ?? 0}
              low={0}
              high={clip.clips - 1}
              live
              onPick={(value) => board.clips.set(card, value || null)}
            />
          </label>
        )}
      </div>
      <StepSlider board={board} card={card} steps={steps} busy={busy} />
      <footer data-testid="card-status">
        <span class="counts">
          {clip &&
            !error &&
            there &&
            [
              say('format', { rate: clip.rate, bits: clip.bits }),
              say('channels', { count: clip.channels }),
              clip.label,
              ...recordNotes(board.page, records),
            ]
              .filter((part) => part)
              .join(' · ')}
        </span>
      </footer>
    </>
  );
}
