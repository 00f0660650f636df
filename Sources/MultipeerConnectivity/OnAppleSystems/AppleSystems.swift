// On Apple's systems apps import Apple's own module of this name, and this file is all that the target has there (Package.swift).
