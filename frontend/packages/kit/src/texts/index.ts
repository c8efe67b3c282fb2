/** For tabs of long texts: differences of two texts, and searches that answer slice by slice. */
export { diffLines, diffWords, type DiffPiece } from './difference';
export { SlicedSearch, type SearchSlice } from './sliced_search';
