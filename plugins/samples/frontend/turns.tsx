/** The turns of a sample as inert text: roles, folded reasoning, calls of tools, pictures only when asked for. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Message, Part, Sample } from './answers';
import type { SamplesBoard } from './board';

interface TurnsProps {
  readonly board: SamplesBoard;
  readonly sample: Sample;
}

const MOST = 40_000; // characters that are shown at once

export function Turns({ board, sample }: TurnsProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <div class="turns" tabIndex={0} role="group" aria-label={say('turns')}>
      {sample.prompt.map((message, at) => (
        <Turn key={`p${at}`} board={board} message={message} side="prompt" />
      ))}
      {sample.completion.map((message, at) => (
        <Turn key={`c${at}`} board={board} message={message} side="completion" />
      ))}
      {sample.completion.length === 0 && <p class="muted">{say('nothing_said')}</p>}
      {sample.reference !== null && (
        <div class="turn reference">
          <h3>{say('reference')}</h3>
          <pre>{sample.reference}</pre>
        </div>
      )}
      <details class="rest">
        <summary>{say('rest', { file: sample.file, format: sample.format })}</summary>
        <pre>{sample.rest}</pre>
        {sample.cut > 0 && <p class="muted">{say('cut', { count: sample.cut })}</p>}
      </details>
    </div>
  );
}

interface TurnProps {
  readonly board: SamplesBoard;
  readonly message: Message;
  readonly side: 'prompt' | 'completion';
}

export function Turn({ board, message, side }: TurnProps): JSX.Element {
  const { t: say } = board.page;
  const known = ['system', 'developer', 'user', 'assistant', 'tool'].includes(message.role);
  return (
    <div class={`turn ${side}`} data-role={message.role}>
      <h3>{known ? say(`role.${message.role}`) : message.role}</h3>
      {message.parts.map((part, at) => (
        <Piece key={at} board={board} part={part} />
      ))}
    </div>
  );
}

function Piece({ board, part }: { readonly board: SamplesBoard; readonly part: Part }): JSX.Element {
  const { t: say } = board.page;
  if (part.kind === 'reasoning')
    return (
      <details class="reasoning">
        <summary>{say('reasoning', { count: part.size || part.text.length })}</summary>
        <Text board={board} part={part} />
      </details>
    );
  if (part.kind === 'call')
    return (
      <div class="call">
        <h4>{say('call', { name: part.name ?? '' })}</h4>
        <Text board={board} part={part} />
      </div>
    );
  if (part.kind === 'image') return <Picture board={board} part={part} />;
  return <Text board={board} part={part} />;
}

/** Long texts begin with their first characters; the rest is shown when asked for. */
function Text({ board, part }: { readonly board: SamplesBoard; readonly part: Part }): JSX.Element {
  const { t: say } = board.page;
  const whole = useSignal(false);
  const isCut = part.text.length > MOST && !whole.value;
  return (
    <>
      <pre>{isCut ? part.text.slice(0, MOST) : part.text}</pre>
      {isCut && (
        <button type="button" class="ih-button ih-small" onClick={() => (whole.value = true)}>
          {say('more', { count: part.text.length - MOST })}
        </button>
      )}
      {(part.size ?? 0) > part.text.length && (
        <p class="muted">{say('cut', { count: (part.size ?? 0) - part.text.length })}</p>
      )}
    </>
  );
}

/** Bytes of a picture that stand in the sample; an address elsewhere is never asked for. */
function Picture({ board, part }: { readonly board: SamplesBoard; readonly part: Part }): JSX.Element {
  const { t: say } = board.page;
  const shown = useSignal(false);
  const bytes = /^data:(image\/(?:png|jpeg|gif|webp|bmp));base64,/.test(part.text);
  if (!bytes) return <p class="muted">{say('image.none')}</p>;
  if (shown.value) return <img src={part.text} alt={say('image')} />;
  return (
    <button type="button" class="ih-button ih-small" onClick={() => (shown.value = true)}>
      {say('image.show')}
    </button>
  );
}
