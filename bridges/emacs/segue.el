;;; segue.el --- Continue a text on another device  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: convenience, files

;;; Commentary:

;; The file in the selected window is on offer to your other devices, as org.segue.open.Text (docs/open-types.md), which any
;; editor there may take.  Turn it on with (segue-mode 1); segue-module.so stands beside this file or on `load-path'.

;;; Code:

(require 'subr-x)
(require 'url-util)

(defgroup segue nil "Continue a text on another device." :group 'files)

(defcustom segue-confirm #'y-or-n-p
  "The function that is asked before a file that is open here goes back to an earlier line."
  :type 'function)

(defconst segue--context 40 "Characters of context on each side.")
(defconst segue--largest-file (* 64 1024 1024) "Bytes of a file that is opened for another device.")

(defvar segue--buffer nil "The buffer on offer.")
(defvar segue--point nil "Its point when it was last looked at.")
(defvar segue--process nil "The pipe by which the module says that there is something to do.")

(declare-function segue-module-start "segue-module")
(declare-function segue-module-stop "segue-module")
(declare-function segue-module-dispatch "segue-module")
(declare-function segue-module-offer "segue-module")
(declare-function segue-module-withdraw "segue-module")
(declare-function segue-module-changed "segue-module")
(defvar segue-mode)

(defmacro segue--guarded (&rest body)
  "Do BODY; an error is shown, and counts as nil."
  `(condition-case problem (progn ,@body)
     ((error quit) (message "segue: %s" (error-message-string problem)) nil)))

(defun segue--git (&rest arguments)
  "The first line that git says for ARGUMENTS; nil for none."
  (with-temp-buffer
    (when (and (executable-find "git") (eq 0 (ignore-errors (apply #'process-file "git" nil t nil arguments))))
      (goto-char (point-min))
      (let ((line (buffer-substring (point) (line-end-position)))) (unless (string-empty-p line) line)))))

(defun segue--repository (remote)
  "A git REMOTE as host/path, without a scheme, a user and \".git\"; nil for a local one."
  (when (or (string-match "\\`\\(?:https?\\|ssh\\|git\\)://\\([^/]+\\)/\\(.+\\)\\'" remote)
            (string-match "\\`\\([^/[:space:]]+\\):\\([^/].*\\)\\'" remote))
    (let ((host (match-string 1 remote)) (path (match-string 2 remote)))
      (concat (downcase (replace-regexp-in-string "\\`.*@\\|:[0-9]+\\'" "" host)) "/"
              (string-remove-suffix ".git" (string-trim-right path "/+"))))))

(defun segue--origin (file)
  "What git knows of FILE, as entries of userInfo."
  (let* ((default-directory (file-name-directory file))
         (top (segue--git "rev-parse" "--show-toplevel"))
         (remote (and top (segue--git "remote" "get-url" "origin"))))
    (when top
      (seq-filter #'cdr
                  `(("repository" . ,(and remote (segue--repository remote)))
                    ("path" . ,(file-relative-name (file-truename file) (file-truename top)))
                    ("branch" . ,(segue--git "symbolic-ref" "--short" "HEAD"))
                    ("head" . ,(segue--git "rev-parse" "HEAD")))))))

(defun segue--is-text (character)
  "Whether CHARACTER can be sent: a byte that is none of a text, as a file may have, cannot."
  (and (< 0 character #x110000) (not (<= #xd800 character #xdfff))))

(defun segue--save ()
  "The entries of userInfo for the buffer on offer."
  (segue--guarded
   (when (buffer-live-p segue--buffer)
     (with-current-buffer segue--buffer
       (let* ((window (get-buffer-window segue--buffer))
              (point (if window (window-point window) (point))))
         (save-excursion
           (goto-char point)
           (append
            `(("uri" . ,(concat "file://" (url-hexify-string buffer-file-name url-path-allowed-chars)))
              ("line" . ,(line-number-at-pos point t))
              ("column" . ,(1+ (- point (line-beginning-position))))
              ("before" . ,(concat (nreverse (seq-take-while
                                              #'segue--is-text
                                              (nreverse (append (buffer-substring-no-properties
                                                                 (max (line-beginning-position) (- point segue--context))
                                                                 point)
                                                                nil))))))
              ("after" . ,(concat (seq-take-while
                                   #'segue--is-text
                                   (buffer-substring-no-properties
                                    point (min (line-end-position) (+ point segue--context))))))
              ("unsaved" . ,(and (buffer-modified-p) t)))
            (segue--origin buffer-file-name))))))))

(defun segue--file (url)
  "The regular file of this device that URL names; an error for anything else."
  (unless (and (stringp url) (< (length url) 8192) (string-match "\\`file://\\(?:localhost\\)?\\(/[^?#[:cntrl:] ]*\\)\\'" url))
    (error "The address is none of a file here"))
  (let ((path (decode-coding-string (url-unhex-string (match-string 1 url)) 'utf-8)))
    (when (or (string-match-p "[[:cntrl:]]" path) (member ".." (split-string path "/")) (file-remote-p path))
      (error "The path is not plain"))
    (let* ((real (file-truename path)) (facts (file-attributes real)))
      (unless facts (error "The file is not on this device"))
      (unless (string-prefix-p "-" (file-attribute-modes facts)) (error "It is not a regular file"))
      ;; Files of the kernel are regular too, and some never end.
      (when (string-match-p "\\`/\\(proc\\|sys\\)/" real) (error "It is a file of the kernel"))
      (unless (file-readable-p real) (error "The file may not be read"))
      (when (> (file-attribute-size facts) segue--largest-file)
        (error "The file is larger than %s" (file-size-human-readable segue--largest-file 'iec " "))))
    path))

(defun segue--find (line column before after)
  "The position of the text BEFORE and AFTER that is nearest to LINE; else that of LINE and COLUMN."
  (save-excursion
    (let ((wanted (concat before after)) (case-fold-search nil) found nearest origin)
      (unless (string-blank-p wanted)
        (goto-char (point-min))
        (forward-line (1- line))
        (setq origin (point))
        (goto-char (point-min))
        ;; Distances in characters: counting lines for each would take minutes in a long text.
        (while (search-forward wanted nil t)
          (let* ((place (+ (match-beginning 0) (length before))) (far (abs (- place origin))))
            (when (or (not nearest) (< far nearest)) (setq found place nearest far)))))
      (or found
          (progn
            (goto-char (point-min))
            (forward-line (1- line))
            (min (line-end-position) (+ (line-beginning-position) (1- column))))))))

(defun segue--resume (uri line column before after)
  "Take what comes from another device, where URI is a file that can be opened: non-nil then.
It is opened after the library's call, in which nobody is asked: others wait for that."
  (segue--guarded
   (let ((file (segue--file uri))
         (line (max 1 (min (if (integerp line) line 1) 1000000000)))
         (column (max 1 (min (if (integerp column) column 1) 1000000))))
     (run-at-time 0 nil #'segue--open file line column (or before "") (or after ""))
     t)))

(defun segue--open (file line column before after)
  "Show FILE at LINE and COLUMN, or at the text BEFORE and AFTER."
  (segue--guarded
   (when segue-mode
     (let ((open (get-file-buffer file)) (enable-local-variables :safe) (enable-recursive-minibuffers t))
       (pop-to-buffer-same-window (find-file-noselect file t))
       (save-restriction
         (widen)
         (let ((place (segue--find line column before after)))
           (when (or (not open) (<= (line-number-at-pos nil t) (line-number-at-pos place t))
                     (save-current-buffer
                       (funcall segue-confirm (format "Go back from line %d to %d? " (line-number-at-pos nil t)
                                                      (line-number-at-pos place t)))))
             (push-mark nil t)
             (goto-char place))))
       (segue--look)))))

(defun segue--look (&rest _)
  "Offer the file in the selected window, where there is one; say where it was looked at anew."
  (let ((buffer (window-buffer (selected-window))))
    (cond ((not (buffer-file-name buffer)))
          ((not (eq buffer segue--buffer))
           (setq segue--buffer buffer segue--point (with-current-buffer buffer (point)))
           (segue-module-offer (file-name-nondirectory (buffer-file-name buffer))))
          ((not (eql segue--point (with-current-buffer buffer (point))))
           (setq segue--point (with-current-buffer buffer (point)))
           (segue-module-changed)))))

(defun segue--killed ()
  "A buffer ends: its offer does, too."
  (when (eq (current-buffer) segue--buffer)
    (setq segue--buffer nil)
    (segue-module-withdraw)))

(defun segue--stop ()
  "End what `segue--start' has begun, also a part of it."
  (remove-hook 'post-command-hook #'segue--look)
  (remove-hook 'window-buffer-change-functions #'segue--look)
  (remove-hook 'kill-buffer-hook #'segue--killed)
  (remove-hook 'kill-emacs-hook #'segue--stop)
  (setq segue--buffer nil)
  (when (fboundp 'segue-module-stop) (segue-module-stop))
  (when segue--process (delete-process segue--process))
  (setq segue--process nil))

(defun segue--start ()
  "Register with Segue; an error says why that cannot be."
  (require 'segue-module)
  (unless segue--process
    (setq segue--process
          (make-pipe-process :name "segue" :noquery t :coding 'binary
                             :filter (lambda (_process _text) (segue-module-dispatch)))))
  (let ((started (segue-module-start segue--process)))
    (unless (eq started t) (error "%s" started)))
  (add-hook 'post-command-hook #'segue--look)
  (add-hook 'window-buffer-change-functions #'segue--look)
  (add-hook 'kill-buffer-hook #'segue--killed)
  (add-hook 'kill-emacs-hook #'segue--stop)
  (segue--look))

;;;###autoload
(define-minor-mode segue-mode
  "Offer the file in the selected window to your other devices."
  :global t
  (if (not segue-mode)
      (segue--stop)
    (condition-case problem
        (segue--start)
      (error
       (setq segue-mode nil)
       (segue--stop)
       (error "Segue cannot be reached: %s" (error-message-string problem))))))

(defun segue-unload-function ()
  "The application is gone with the package."
  (segue-mode -1)
  nil)

(provide 'segue)

;;; segue.el ends here
