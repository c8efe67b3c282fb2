/** What every dialog of the Scalars tab receives. */
import type { ScalarParts } from './board';

export interface CardDialogProps {
  readonly board: ScalarParts;
  /**
   * Of the card that opened it; the dialog of computed series begins with this one, or with an expression of this tag.
   */
  readonly tag: string;
  readonly onClose: () => void;
}
