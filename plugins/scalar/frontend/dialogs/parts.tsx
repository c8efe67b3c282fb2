/** What dialogs of the Metrics tab have in common: what each receives, its buttons, fields for expressions. */
import type { Page } from '@insight-host/kit';
import type { Signal } from '@preact/signals';
import type { JSX, Ref } from 'preact';
import type { ScalarParts } from '../board';

export interface CardDialogProps {
  readonly board: ScalarParts;
  /**
   * Of the card that opened it; the dialog of computed series begins with this one, or with an expression of this tag.
   */
  readonly tag: string;
  readonly onClose: () => void;
}

interface DialogEndProps {
  readonly page: Page;
  /** What the dialog does, as a verb: "Add panel". */
  readonly verb: string;
  readonly onClose: () => void;
}

/** The buttons at the end of a dialog that is a form. */
export function DialogEnd({ page, verb, onClose }: DialogEndProps): JSX.Element {
  return (
    <>
      <button type="button" data-action="cancel" onClick={onClose}>
        {page.t('cancel')}
      </button>
      <button type="submit" class="primary" data-action="apply">
        {verb}
      </button>
    </>
  );
}

interface ExpressionInputProps {
  /** The name of the field. */
  readonly name: string;
  readonly label: string;
  readonly example: string;
  /** What is typed. */
  readonly text: Signal<string>;
  /** What is wrong with it, until something else is typed. */
  readonly problem: Signal<string | null>;
  readonly element?: Ref<HTMLInputElement>;
}

/** A field for an expression, which has the focus when its dialog opens. */
export function ExpressionInput({
  name,
  label,
  example,
  text,
  problem,
  element = null,
}: ExpressionInputProps): JSX.Element {
  return (
    <input
      ref={element}
      class="expression"
      name={name}
      aria-label={label}
      placeholder={example}
      autocomplete="off"
      spellcheck={false}
      autofocus
      aria-invalid={problem.value !== null}
      aria-describedby={`${name}-problem`}
      value={text.value}
      onInput={({ currentTarget }) => {
        text.value = currentTarget.value;
        problem.value = null;
      }}
    />
  );
}

/** Says what is wrong with the expression in the field of this name; always as high as a line. */
export function ExpressionProblem({ name, problem }: Pick<ExpressionInputProps, 'name' | 'problem'>): JSX.Element {
  return (
    <p class="problem" id={`${name}-problem`} role="alert">
      {problem.value ?? '\u00a0'}
    </p>
  );
}
