export function chart() {
  return "";
}
