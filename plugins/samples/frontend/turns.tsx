/** The turns of a sample: roles, folded reasoning, calls of tools, pictures; texts are rendered when asked for. */
import type { Disposer } from '@insight-host/api';
import { addStyles, Dialog, message as reasonOf } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Message, NamedSample, Part, SampleQuery } from './answers';
import type { SamplesBoard } from './board';

let endStyles: Disposer | null = null; // of what is rendered, once it is
const MOST = 40_000; // characters that are shown at once
const MOST_RENDERED = 20_000; // characters that are rendered; longer texts stay as they are

interface TurnsProps {
  readonly board: SamplesBoard;
  readonly sample: NamedSample;
}

export function Turns({ board, sample }: TurnsProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <div class="turns" tabIndex={0} role="group" aria-label={say('turns')}>
      {sample.prompt.map((message, at) => (
        <Turn key={`p${at}`} board={board} message={message} side="prompt" of={sample.of} />
      ))}
      {sample.completion.map((message, at) => (
        <Turn key={`c${at}`} board={board} message={message} side="completion" of={sample.of} />
      ))}
      {sample.completion.length === 0 && <p class="muted">{say('nothing_said')}</p>}
      {sample.reference !== null && (
        <div class="turn reference">
          <h3>{say('reference')}</h3>
          <Written board={board} text={sample.reference} />
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
  readonly of: SampleQuery;
}

export function Turn({ board, message, side, of }: TurnProps): JSX.Element {
  const { t: say } = board.page;
  const known = ['system', 'developer', 'user', 'assistant', 'tool'].includes(message.role);
  return (
    <div class={`turn ${side}`} data-role={message.role}>
      <h3>{known ? say(`role.${message.role}`) : message.role}</h3>
      {message.parts.map((part, at) => (
        <Piece key={at} board={board} part={part} of={of} />
      ))}
    </div>
  );
}

interface PieceProps {
  readonly board: SamplesBoard;
  readonly part: Part;
  readonly of: SampleQuery;
}

function Piece({ board, part, of }: PieceProps): JSX.Element {
  const { t: say } = board.page;
  if (part.kind === 'reasoning')
    return (
      <details class="reasoning">
        <summary>{say('reasoning', { count: part.size || part.text.length })}</summary>
        <LongText board={board} part={part} />
      </details>
    );
  if (part.kind === 'call')
    return (
      <div class="call">
        <h4>{say('call', { name: part.name ?? '' })}</h4>
        <pre>{part.text}</pre>
      </div>
    );
  if (part.kind === 'image') return <Picture board={board} part={part} of={of} />;
  return <LongText board={board} part={part} />;
}

/** Long texts begin with their first characters; the rest is shown when asked for. */
function LongText({ board, part }: Pick<PieceProps, 'board' | 'part'>): JSX.Element {
  const { t: say } = board.page;
  const whole = useSignal(false);
  const isCut = part.text.length > MOST && !whole.value;
  return (
    <>
      <Written board={board} text={isCut ? part.text.slice(0, MOST) : part.text} />
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

/** A text as it is written, or as Markdown with formulas where the user wants it and it is not too long. */
function Written({ board, text }: { readonly board: SamplesBoard; readonly text: string }): JSX.Element {
  const { t: say, ctx } = board.page;
  const place = useRef<HTMLDivElement>(null);
  const isRendered = board.isRendered.value && text.length <= MOST_RENDERED;
  useLayoutEffect(() => {
    const { current } = place;
    if (!isRendered || !current) return undefined;
    let isGone = false;
    current.textContent = text; // until it is rendered
    import('@insight-host/kit/markdown').then(
      ({ markdownStyles, showWithFormulas }) => {
        if (isGone) return;
        endStyles ??= addStyles(ctx, markdownStyles);
        showWithFormulas(current, text, { failed: (reason) => say('formula.failed', { reason }) });
      },
      (error: unknown) => ctx.notify('error', reasonOf(error)),
    );
    return () => void (isGone = true);
  }, [isRendered, text]);
  if (isRendered) return <div class="markdown" ref={place} />;
  return (
    <>
      <pre>{text}</pre>
      {board.isRendered.value && <p class="muted">{say('rendered.long')}</p>}
    </>
  );
}

/** A picture of the sample, from the host; one that stands elsewhere is only named. */
function Picture({ board, part, of }: PieceProps): JSX.Element {
  const { t: say, ctx } = board.page;
  const isLarge = useSignal(false);
  const failed = useSignal(false);
  if (part.image === undefined || failed.value) {
    const why = part.code === undefined ? part.text : board.page.reason({ ...part, error: part.text });
    return <p class="muted">{why ? say('image.because', { why }) : say('image.none')}</p>;
  }
  const { width = 0, height = 0 } = part;
  const text = say('image', { size: `${width} × ${height}`, kind: part.text });
  const picture = (
    <img
      src={ctx.data.href('image', { ...of, image: part.image })}
      alt={text}
      loading="lazy"
      {...(width && height ? { width, height } : {})}
      onError={() => (failed.value = true)}
    />
  );
  return (
    <>
      <button type="button" class="picture" title={say('image.enlarge')} onClick={() => (isLarge.value = true)}>
        {picture}
      </button>
      {isLarge.value && (
        <Dialog name="picture" title={text} onClose={() => (isLarge.value = false)}>
          <div class="enlarged">{picture}</div>
        </Dialog>
      )}
    </>
  );
}
