// Enter sends what is in a field of several lines, and Shift with Enter begins a new line. Escape
// closes the document that a number has opened, or else leaves the field.
document.addEventListener("keydown", (ev) => {
  if (ev.isComposing || ev.ctrlKey || ev.altKey || ev.metaKey || ev.shiftKey) return;
  if (ev.key === "Enter" && ev.target.matches("[data-enter]")) {
    ev.preventDefault();
    if (!ev.repeat) ev.target.form.requestSubmit();
  } else if (ev.key === "Escape") {
    const close = document.querySelector(".documents:has(:target) .close");
    close ? close.click() : document.activeElement?.blur(); // then keys are shortcuts again
  }
});
