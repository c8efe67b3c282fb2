import type { Signal } from '@preact/signals';
import type { JSX, Ref } from 'preact';

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
