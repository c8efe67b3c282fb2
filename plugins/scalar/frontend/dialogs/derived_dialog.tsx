import type { HostError } from '@insight-host/api';
import { Button, byName, Dialog, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { expressionOf, quoted, tagOf } from '../derived';
import { MfuHelper } from './mfu_helper';
import { DialogEnd, ExpressionInput, ExpressionProblem, type CardDialogProps } from './parts';

const MOST = 50; // tags listed at once

/** Makes, renames and removes series that are computed from others. */
export function DerivedDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const { names, kept } = board.derived;
  const tell = (done: Promise<void>): void =>
    void done.catch((error: unknown) => board.page.ctx.notify('error', message(error)));
  const edited = useSignal(expressionOf(tag));
  const text = useSignal(edited.value ?? (tag ? quoted(tag) : ''));
  const name = useSignal((edited.value !== null && names.value.get(edited.value)) || '');
  const problem = useSignal<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const word = /[\p{L}\p{N}_./:-]*$/u.exec(text.value)?.[0] ?? '';
  const fitting = [...board.tags.runsByTag.value.keys()]
    .filter((other) => expressionOf(other) === null && other.toLowerCase().includes(word.toLowerCase()))
    .sort(byName);
  const edit = (expression: string | null): void => {
    edited.value = expression;
    text.value = expression ?? '';
    name.value = (expression !== null && names.value.get(expression)) || '';
    problem.value = null;
    field.current?.focus();
  };
  const apply = async (): Promise<void> => {
    const { value: typed } = text;
    try {
      const found = await board.page.ctx.data.json<{ text: string }>('expression', { text: typed });
      const [old, title] = [edited.value, name.value.trim() || typed.trim()];
      const isMoved = old !== null && old !== found.text;
      if (isMoved && board.derived.kept.names.value.has(old)) await board.derived.kept.set(found.text, title);
      if (isMoved) await board.derived.change(old, null);
      await board.derived.change(found.text, title);
      board.filter.text.set('');
      onClose();
    } catch (error) {
      problem.value = reasonOf(error, say);
    }
  };
  return (
    <Dialog
      name="derived"
      title={say('derived.title')}
      onClose={onClose}
      onSubmit={() => void apply()}
      foot={
        <DialogEnd
          page={board.page}
          verb={say(edited.value === null ? 'derived.add' : 'derived.save')}
          onClose={onClose}
        />
      }
    >
      <p class="hint">{say('derived.hint')}</p>
      <div class="row">
        <ExpressionInput
          name="expression"
          label={say('derived.expression')}
          example="train/loss - val/loss"
          text={text}
          problem={problem}
          element={field}
        />
        <input
          name="name"
          aria-label={say('derived.name')}
          placeholder={say('derived.name')}
          autocomplete="off"
          value={name.value}
          onInput={(e) => (name.value = e.currentTarget.value)}
        />
      </div>
      <ExpressionProblem name="expression" problem={problem} />
      <MfuHelper
        board={board}
        tag={tag}
        onExpression={(expression) => {
          text.value = expression;
          name.value ||= 'MFU';
          problem.value = null;
        }}
      />
      <ul class="choices inputs" aria-label={say('derived.tags')}>
        {fitting.slice(0, MOST).map((other) => (
          <li key={other}>
            <button
              type="button"
              data-tag={other}
              onClick={() => {
                text.value = text.value.slice(0, text.value.length - word.length) + quoted(other);
                field.current?.focus();
              }}
            >
              {board.page.titleOf(other)}
            </button>
          </li>
        ))}
      </ul>
      {names.value.size > 0 && (
        <div class="there">
          <ul>
            {[...names.value].map(([expression, title]) => (
              <li key={expression} data-tag={tagOf(expression)}>
                <span class="name" title={title}>
                  {title}
                </span>
                <Button
                  action="keep"
                  icon="pin"
                  label={say('derived.keep', { name: title })}
                  pressed={kept.names.value.has(expression)}
                  disabled={!kept.writable.value}
                  onPress={() => tell(board.derived.keep(expression, !kept.names.value.has(expression)))}
                />
                <Button
                  action="edit"
                  icon="pencil"
                  label={say('derived.edit', { name: title })}
                  onPress={() => edit(expression)}
                />
                <Button
                  action="delete"
                  icon="close"
                  label={say('derived.delete', { name: title })}
                  onPress={() => {
                    tell(board.derived.change(expression, null));
                    if (edited.value === expression) edit(null);
                  }}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}

/** What the host says is wrong with an expression, in the user's language. */
export function reasonOf(
  error: unknown,
  say: (key: string, values?: Record<string, string | number>) => string,
): string {
  const { code, details } = error as Partial<HostError>;
  if (!code?.startsWith('expression_')) return message(error);
  const values = details as Record<string, string | number>;
  const close = values['close'] ? say('expression_close', values) : '';
  return say(code, values) + close;
}
